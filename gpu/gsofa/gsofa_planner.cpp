// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "gpu/gsofa/gsofa_sizes.hpp"

namespace lufact::gpu {
namespace {

// Words of the array, since fresh memory takes half a millisecond a GB; edges for each lane of the
// card in a level, which take some 80 us, beside which its barrier and the last of its warps are
// short; and the most that a batch is larger than the one before, since later rows have more to do:
// more where a whole batch left lanes of the card idle.
constexpr Offset most_auto_words = Offset{1} << 30;
constexpr double saturated_lanes = 64;
constexpr Offset most_growth = 2, most_growth_of_idle = 16;
// The least share of n #C that a queue gets where frontiers are known.
constexpr Offset least_queue_share = 256;
// What a batch that memory bounds may give away to be of whole chunks.
constexpr Offset chunk_share = 8;

// `auto` follows the load.
bool adapts(const GsofaOptions& options) {
  return options.concurrency.rule == GsofaConcurrencyOption::Rule::automatic && options.dynamic;
}

}  // namespace

bool GsofaPlanner::wants_reach(const GsofaNeeds& needs, const GsofaOptions& options) {
  if (!adapts(options) || options.layout != GsofaLayout::merged || needs.devices > 1) return false;
  const GsofaSizes sizes(needs, options);
  return sizes.auto_words(0, needs.rows.positions()) >
         std::min(sizes.budget_words(), most_auto_words);
}

GsofaPlanner::GsofaPlanner(const GsofaNeeds& needs, const GsofaOptions& options)
    : needs_(needs), options_(options), freshness_(needs, options) {
  const Offset positions = needs.rows.positions();
  if (!adapts(options) || positions == 0) {
    plan_ = plan_gsofa(needs, options);
    return;
  }
  require_gsofa_options(needs, options);
  // Whatever a reach saves, the array holds any one source with all vertices below it.
  GsofaNeeds whole_rows = needs;
  whole_rows.reach = nullptr;
  const GsofaSizes whole(whole_rows, options), sizes(needs, options);
  if (whole.sources_within_budget(positions - 1, 1) == 0) no_source_fits(whole_rows, whole);
  const Offset rows = sources_for(positions, needs.devices);
  const Offset wanted = std::min(sizes.auto_words(0, rows), most_auto_words);
  plan_.rows = needs.rows;
  plan_.devices = needs.devices;
  plan_.bubbles = options.bubbles;
  plan_.array_words =
      std::min(sizes.budget_words(),
               round_up_to_four(std::max(wanted, whole.least_words(positions - 1, 1))));
  needs_.budget_bytes = static_cast<std::uint64_t>(plan_.array_words * word_bytes);
  plan_.spill_entries = std::min(needs.most_spill_entries, sizes.full_queue(rows));
}

std::optional<GsofaBatch> GsofaPlanner::next(const GsofaLoad& load) {
  if (adapts(options_) && first_ < needs_.rows.positions()) add(load);
  if (given_ == plan_.batches.size()) return std::nullopt;
  return plan_.batches[given_++];
}

GsofaWish GsofaPlanner::wish(Offset first, const GsofaLoad& load) const {
  const Offset cached = std::max<Offset>(1, GsofaSizes(needs_, options_).cached_sources(first));
  if (load.sources == 0) return {cached, "cache"};
  // Rows whose neighbours all come later have no frontier: nothing of such a batch fills the card.
  if (load.levels == 0) {
    return {std::max(cached, most_growth_of_idle * load.sources), "occupancy"};
  }
  const double edges = static_cast<double>(std::max<Offset>(1, load.edges)) /
                       static_cast<double>(load.levels * load.sources);
  const auto lanes = static_cast<double>(needs_.card.resident_warps * 32);
  if (edges * static_cast<double>(cached) >= saturated_lanes * lanes) return {cached, "cache"};
  const auto saturating = static_cast<Offset>(saturated_lanes * lanes / edges);
  const bool idle = edges * static_cast<double>(load.sources) < lanes;
  const Offset growth = idle ? most_growth_of_idle : most_growth;
  return {std::max(cached, std::min(growth * load.sources, saturating)), "occupancy"};
}

// A queue of c mean frontiers takes 1 / c more iterations, for what finds no place comes back in
// further ones, and takes the room of 4 c frontiers from maxId and fill, so that iterations are
// dearer by that share: least for the geometric mean of the two, here by the last batch.
Offset GsofaPlanner::source_queue(const GsofaLoad& load) const {
  if (load.frontier == 0) return 0;
  const GsofaBatch& last = plan_.batches.back();
  const double words = static_cast<double>(last.division.max_id_words) / last.slots +
                       static_cast<double>(last.division.fill_stride);
  const double frontier = static_cast<double>(load.frontier) / static_cast<double>(load.sources);
  const auto best = static_cast<Offset>(std::sqrt(words * frontier / queue_arrays));
  const Offset n = needs_.rows.n;
  return std::clamp(best, n / least_queue_share + 1, n / fixed_queue_share + 1);
}

void GsofaPlanner::add(const GsofaLoad& load) {
  const GsofaSizes sizes(needs_, options_, source_queue(load));
  const Offset positions = needs_.rows.positions();
  const Offset left = sources_for(positions - first_, needs_.devices);
  const GsofaWish wished = wish(first_, load);
  const Offset most = std::min(wished.sources, left);
  const Offset fit = sizes.sources_within_budget(first_, most);
  if (fit == 0) no_source_fits(needs_, sizes);
  const Offset whole = whole_chunk_sources(fit, needs_.rows.chunk_size, needs_.devices);
  const bool cuts_chunks = fit < most && chunk_share * (fit - whole) > fit;
  GsofaBatch batch = batch_at(needs_, first_, fit == left || cuts_chunks ? fit : whole);
  const Offset rest = divide(sizes, plan_.array_words, batch.slots, batch);
  batch.division.queue_capacity = sizes.queue_in(rest, batch.slots);
  freshness_.prepare(batch);
  plan_.reinitialisations += batch.reinitialise ? 1 : 0;
  const bool last = batch.slots == left;
  // The last batch may be short of rows: it says nothing where there are others.
  if (!last || plan_.batches.empty()) {
    plan_.bound = fit < most ? "memory" : last ? "rows" : wished.bound;
  }
  first_ += Offset{batch.slots} * needs_.devices;
  plan_.batches.push_back(batch);
  if (last) count_sources(plan_);
}

}  // namespace lufact::gpu
