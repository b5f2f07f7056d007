// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset word_bytes = sizeof(MaxIdWord);
constexpr Offset queue_arrays = 4;  // two queues and their trackers
// The least share of n #C entries that a queue gets beside maxId and fill: what the largest
// iteration was seen to need (Table 3: 25% on pre2) where the division is fixed, and enough for
// most iterations where every batch has its own.
constexpr Offset fixed_queue_share = 4, dynamic_queue_share = 64;
// What `auto` aims at: warps of the card for each source, whose frontier has a few vertices in most
// iterations; batches of all rows; bytes of the array.
constexpr Offset warps_per_source = 2, most_batches = 16;
constexpr std::uint64_t most_auto_bytes = std::uint64_t{8} << 30;
constexpr Offset paper_most_sources = 4096;
// Where it follows the load: words of the array, since fresh memory takes half a millisecond a GB;
// edges for each lane of the card in a level, which take some 80 us, beside which its barrier and
// the last of its warps are short; and the most that a batch is larger than the one before, since
// later rows have more to do: more where a whole batch left lanes of the card idle.
constexpr Offset most_auto_words = Offset{1} << 30;
constexpr double saturated_lanes = 64;
constexpr Offset most_growth = 2, most_growth_of_idle = 16;
// The queue of a batch of all rows in such an array: the share of n #C that frontiers take where
// the rows are many, and no less than what those of a matrix that is soon full take.
constexpr Offset auto_queue_share = 32, least_auto_queue = Offset{1} << 24;

Offset round_up_to_four(Offset words) {
  return (words + 3) / 4 * 4;
}

Offset round_down_to_four(Offset words) {
  return words / 4 * 4;
}

Offset sources_for(Offset positions, Index devices) {
  return (positions + devices - 1) / devices;
}

// Sizes of the parts for a number of sources, on the device whose rows are largest.
class Sizes {
 public:
  Sizes(const GsofaNeeds& needs, const GsofaOptions& options)
      : needs_(needs),
        options_(options),
        fill_stride_(gsofa_slot_words(needs.rows.n, options.layout).stride),
        positions_(needs.rows.positions()) {}

  Offset fill_stride() const { return fill_stride_; }
  Offset budget_words() const {
    return round_down_to_four(static_cast<Offset>(
        std::min<std::uint64_t>(needs_.budget_bytes, std::numeric_limits<Offset>::max()) /
        word_bytes));
  }

  Offset max_id_words(Offset first, Offset sources) const {
    // Without `dynamic` the division has to hold the largest rows of all.
    if (!options_.dynamic) {
      first = std::max<Offset>(0, positions_ - 1 - (sources - 1) * needs_.devices);
    }
    const GsofaSlots slots{needs_.rows, first + needs_.devices - 1, needs_.devices,
                           static_cast<Index>(sources), options_.bubbles};
    return slots.max_id_begin(slots.count);
  }
  Offset fill_words(Offset sources) const { return sources * fill_stride_; }
  Offset full_queue(Offset sources) const { return std::max<Offset>(1, sources * needs_.rows.n); }
  Offset least_queue(Offset sources) const {
    if (options_.queue) return *options_.queue;
    if (!options_.external) return full_queue(sources);
    // One source always goes, with a queue of one entry if need be.
    if (sources == 1) return 1;
    return std::max<Offset>(
        1, full_queue(sources) / (options_.dynamic ? dynamic_queue_share : fixed_queue_share));
  }
  // Without a budget of its own a search takes no more than most iterations need.
  Offset most_queue(Offset sources) const {
    if (options_.queue) return *options_.queue;
    if (!options_.external || (options_.dynamic && options_.budget)) return full_queue(sources);
    return std::max<Offset>(1, full_queue(sources) / fixed_queue_share);
  }
  // In an array for batches of up to `sources` that is still to be made.
  Offset auto_queue(Offset sources) const {
    const Offset most = most_queue(sources);
    if (options_.queue || !options_.external || options_.budget) return most;
    return std::min(most, std::max(least_auto_queue, full_queue(sources) / auto_queue_share));
  }
  // In an array that is there already: all that it has left, which costs nothing, while a frontier
  // may be several times n #C long, and pinned memory takes milliseconds to make.
  Offset queue_in(Offset words, Offset sources) const {
    if (options_.queue) return *options_.queue;
    const Offset rest = words / queue_arrays;
    return options_.external ? rest : std::min(rest, full_queue(sources));
  }
  // With the least queue.
  Offset least_words(Offset first, Offset sources) const {
    return max_id_words(first, sources) + fill_words(sources) + queue_arrays * least_queue(sources);
  }
  Offset auto_words(Offset first, Offset sources) const {
    return max_id_words(first, sources) + fill_words(sources) + queue_arrays * auto_queue(sources);
  }
  // The most sources <= `most` that the budget holds; 0: none.
  Offset sources_within_budget(Offset first, Offset most) const {
    return most_sources(budget_words(), most,
                        [&](Offset sources) { return least_words(first, sources); });
  }
  // The most sources whose maxId and fill the cache holds beside the matrix and the queues.
  Offset cached_sources(Offset first) const {
    const auto words = static_cast<Offset>(needs_.card.l2_bytes / 4 * 3) / word_bytes;
    return most_sources(
        words, sources_for(positions_ - first, needs_.devices),
        [&](Offset sources) { return max_id_words(first, sources) + fill_words(sources); });
  }

 private:
  template <class WordsOf>
  Offset most_sources(Offset words, Offset most, const WordsOf& words_of) const {
    // Fill alone bounds them, so that no product below overflows.
    Offset fits = 0, too_many = std::min(most, words / fill_stride_) + 1;
    while (too_many - fits > 1) {
      const Offset middle = fits + (too_many - fits) / 2;
      (words_of(middle) <= words ? fits : too_many) = middle;
    }
    return fits;
  }

  const GsofaNeeds& needs_;
  const GsofaOptions& options_;
  Offset fill_stride_;
  Offset positions_;
};

[[noreturn]] void no_source_fits(const GsofaNeeds& needs, const Sizes& sizes) {
  const Offset last = std::max<Offset>(0, needs.rows.positions() - needs.devices);
  const auto bytes =
      static_cast<std::uint64_t>(round_up_to_four(sizes.least_words(last, 1)) * word_bytes);
  throw Error(Outcome::oom_device, "gsofa_budget",
              fmt::format("a source of a matrix with {} rows needs {} ({} bytes) for maxId, fill "
                          "and queues; the budget of the search is {} ({} bytes); raise "
                          "--gsofa-budget, and --device-memory-limit where the budget follows it",
                          needs.rows.n, format_byte_size(bytes), bytes,
                          format_byte_size(needs.budget_bytes), needs.budget_bytes));
}

void require_options(const GsofaNeeds& needs, const GsofaOptions& options) {
  if (options.dynamic && !options.bubbles) {
    throw std::invalid_argument("gsofa: dynamic needs bubbles");
  }
  if (options.queue && (!options.external || *options.queue < 1)) {
    throw std::invalid_argument("gsofa: a queue of a given size needs external and one entry");
  }
  if (needs.rows.chunk_size < 1 || needs.devices < 1 || needs.rows.stride < 1 ||
      needs.window_top < static_cast<MaxIdWord>(std::max<Index>(1, needs.rows.n))) {
    throw std::invalid_argument("gsofa: chunk size, devices, nodes or window out of range");
  }
}

// The chunks whose last row is before position `end`, all of them at the end.
Offset chunks_before(const GsofaRows& rows, Offset end, Offset positions) {
  return end >= positions ? (positions + rows.chunk_size - 1) / rows.chunk_size
                          : end / rows.chunk_size;
}

// The batch from position `first` on, of so many sources as fit: of whole chunks where it holds
// one.
GsofaBatch batch_at(const GsofaNeeds& needs, Offset first, Offset left, Offset fit) {
  const Offset positions = needs.rows.positions();
  GsofaBatch batch;
  batch.first = first;
  batch.slots = static_cast<Index>(
      fit < left ? whole_chunk_sources(fit, needs.rows.chunk_size, needs.devices) : left);
  batch.first_chunk = chunks_before(needs.rows, first, positions);
  batch.end_chunk =
      chunks_before(needs.rows, first + Offset{batch.slots} * needs.devices, positions);
  return batch;
}

// #C of every batch.
std::vector<GsofaBatch> cut_batches(const GsofaNeeds& needs, const GsofaOptions& options,
                                    const Sizes& sizes, const GsofaWish& wish, GsofaPlan& plan) {
  const Offset positions = needs.rows.positions();
  const Offset all_rows = sources_for(positions, needs.devices);
  plan.bound = all_rows <= wish.sources ? "rows" : wish.bound;
  std::vector<GsofaBatch> batches;
  Offset fixed = 0;
  for (Offset first = 0; first < positions;) {
    const Offset left = sources_for(positions - first, needs.devices);
    const Offset most = std::min(wish.sources, options.dynamic ? left : all_rows);
    const Offset fit = fixed > 0 ? fixed : sizes.sources_within_budget(first, most);
    if (fit == 0) no_source_fits(needs, sizes);
    if (fit < most) plan.bound = "memory";
    if (!options.dynamic) fixed = fit;
    const GsofaBatch batch = batch_at(needs, first, left, fit);
    first += Offset{batch.slots} * needs.devices;
    batches.push_back(batch);
  }
  return batches;
}

// The parts for so many sources in an array of `words`, but for queues; returns how many words are
// left for those.
Offset divide(const Sizes& sizes, Offset words, Offset sources, GsofaBatch& batch) {
  GsofaDivision& division = batch.division;
  division.words = words;
  division.max_id_words = sizes.max_id_words(batch.first, sources);
  division.fill_stride = sizes.fill_stride();
  division.queue_begin = division.max_id_words;
  return words - division.max_id_words - sizes.fill_words(sources);
}

// All batches, and the size of the array that holds each of them.
void divide(const GsofaOptions& options, const Sizes& sizes, GsofaPlan& plan) {
  Offset fixed_sources = 0;
  for (const GsofaBatch& batch : plan.batches) {
    fixed_sources = std::max<Offset>(fixed_sources, batch.slots);
  }
  for (GsofaBatch& batch : plan.batches) {
    const Offset sources = options.dynamic ? batch.slots : fixed_sources;
    const Offset left = divide(sizes, sizes.budget_words(), sources, batch);
    Offset& capacity = batch.division.queue_capacity;
    capacity = std::min(left / queue_arrays, sizes.most_queue(sources));
    plan.array_words =
        std::max(plan.array_words, sizes.budget_words() - left + queue_arrays * capacity);
  }
  plan.array_words = round_up_to_four(plan.array_words);
  for (GsofaBatch& batch : plan.batches) batch.division.words = plan.array_words;
}

void count_sources(GsofaPlan& plan) {
  const std::size_t whole = plan.batches.size() > 1 ? plan.batches.size() - 1 : 1;
  plan.least_sources = plan.most_sources = plan.batches.front().slots;
  for (std::size_t b = 0; b < whole; ++b) {
    plan.least_sources = std::min<Offset>(plan.least_sources, plan.batches[b].slots);
    plan.most_sources = std::max<Offset>(plan.most_sources, plan.batches[b].slots);
  }
}

}  // namespace

GsofaSlots GsofaPlan::slots(const GsofaBatch& batch, Index device) const noexcept {
  const Offset begin = batch.first + device;
  const Offset left = rows.positions() - begin;
  const Offset own = left > 0 ? sources_for(left, devices) : 0;
  return {rows, begin, devices, static_cast<Index>(std::min<Offset>(batch.slots, own)), bubbles};
}

GsofaSlotWords gsofa_slot_words(Index n, GsofaLayout layout) {
  return GsofaSlotWords::of(n, layout == GsofaLayout::merged);
}

std::uint64_t gsofa_row_bytes(const GsofaRows& rows) {
  return checked_bytes(Offset{rows.n} * (1 + rows.chunk_bit_words()), sizeof(std::uint32_t));
}

std::uint64_t gsofa_table2_bytes(Index n, Offset sources) {
  return checked_bytes(Offset{n} * sources, 6 * sizeof(std::uint32_t));
}

Offset gsofa_paper_sources(Index n, std::uint64_t budget_bytes) noexcept {
  const std::uint64_t one = 24 * static_cast<std::uint64_t>(std::max<Index>(1, n));
  const std::uint64_t sources = std::bit_floor(budget_bytes / one);
  return std::max<Offset>(
      1, static_cast<Offset>(std::min<std::uint64_t>(sources, paper_most_sources)));
}

GsofaWish gsofa_wish(Index n, const GsofaOptions& options, const GsofaNeeds& needs) {
  using Rule = GsofaConcurrencyOption::Rule;
  switch (options.concurrency.rule) {
    case Rule::fixed:
      return {options.concurrency.sources, "option"};
    case Rule::paper:
      return {gsofa_paper_sources(n, needs.budget_bytes), "option"};
    case Rule::automatic:
      break;
  }
  const std::uint64_t source_bytes =
      (static_cast<std::uint64_t>(options.bubbles ? (n + 1) / 2 : n) +
       static_cast<std::uint64_t>(gsofa_slot_words(n, options.layout).stride)) *
      word_bytes;
  const auto holding = [&](std::uint64_t bytes) {
    return std::max<Offset>(1, static_cast<Offset>(bytes / source_bytes));
  };
  const Offset saturating =
      std::max<Offset>(needs.card.resident_warps / warps_per_source, n / most_batches);
  const Offset cached = holding(needs.card.l2_bytes);
  const Offset wished = std::max(cached, saturating), most = holding(most_auto_bytes);
  if (wished > most) return {most, "memory"};
  return {wished, cached > saturating ? "cache" : "occupancy"};
}

std::uint64_t gsofa_budget_bytes(const GsofaOptions& options, std::uint64_t left) noexcept {
  return options.budget.value_or(left / 2);
}

GsofaPlanner::GsofaPlanner(const GsofaNeeds& needs, const GsofaOptions& options)
    : needs_(needs), options_(options), freshness_(needs, options) {
  const Offset positions = needs.rows.positions();
  if (!adapts() || positions == 0) {
    plan_ = plan_gsofa(needs, options);
    return;
  }
  require_options(needs, options);
  const Sizes sizes(needs, options);
  if (sizes.sources_within_budget(positions - 1, 1) == 0) no_source_fits(needs, sizes);
  const Offset rows = sources_for(positions, needs.devices);
  const Offset wanted = std::min(sizes.auto_words(0, rows), most_auto_words);
  plan_.rows = needs.rows;
  plan_.devices = needs.devices;
  plan_.bubbles = options.bubbles;
  plan_.array_words =
      std::min(sizes.budget_words(),
               round_up_to_four(std::max(wanted, sizes.least_words(positions - 1, 1))));
  needs_.budget_bytes = static_cast<std::uint64_t>(plan_.array_words * word_bytes);
  plan_.spill_entries = std::min(needs.most_spill_entries, sizes.full_queue(rows));
}

bool GsofaPlanner::adapts() const noexcept {
  return options_.concurrency.rule == GsofaConcurrencyOption::Rule::automatic && options_.dynamic;
}

std::optional<GsofaBatch> GsofaPlanner::next(const GsofaLoad& load) {
  if (adapts() && first_ < needs_.rows.positions()) add(load);
  if (given_ == plan_.batches.size()) return std::nullopt;
  return plan_.batches[given_++];
}

GsofaWish GsofaPlanner::wish(Offset first, const GsofaLoad& load) const {
  const Offset cached = std::max<Offset>(1, Sizes(needs_, options_).cached_sources(first));
  if (load.levels == 0) return {cached, "cache"};
  const double edges = static_cast<double>(std::max<Offset>(1, load.edges)) /
                       static_cast<double>(load.levels * load.sources);
  const auto lanes = static_cast<double>(needs_.card.resident_warps * 32);
  if (edges * static_cast<double>(cached) >= saturated_lanes * lanes) return {cached, "cache"};
  const auto saturating = static_cast<Offset>(saturated_lanes * lanes / edges);
  const bool idle = edges * static_cast<double>(load.sources) < lanes;
  const Offset growth = idle ? most_growth_of_idle : most_growth;
  return {std::max(cached, std::min(growth * load.sources, saturating)), "occupancy"};
}

void GsofaPlanner::add(const GsofaLoad& load) {
  const Sizes sizes(needs_, options_);
  const Offset positions = needs_.rows.positions();
  const Offset left = sources_for(positions - first_, needs_.devices);
  const GsofaWish wished = wish(first_, load);
  const Offset most = std::min(wished.sources, left);
  const Offset fit = sizes.sources_within_budget(first_, most);
  if (fit == 0) no_source_fits(needs_, sizes);
  GsofaBatch batch = batch_at(needs_, first_, left, fit);
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
  count_sources(plan_);
}

GsofaPlan plan_gsofa(const GsofaNeeds& needs, const GsofaOptions& options) {
  require_options(needs, options);
  GsofaPlan plan;
  plan.rows = needs.rows;
  plan.devices = needs.devices;
  plan.bubbles = options.bubbles;
  if (needs.rows.positions() == 0) {
    plan.bound = "rows";
    return plan;
  }
  const Sizes sizes(needs, options);
  plan.batches = cut_batches(needs, options, sizes, gsofa_wish(needs.rows.n, options, needs), plan);
  divide(options, sizes, plan);
  GsofaFreshness freshness(needs, options);
  for (GsofaBatch& batch : plan.batches) {
    freshness.prepare(batch);
    plan.reinitialisations += batch.reinitialise ? 1 : 0;
  }
  count_sources(plan);
  if (options.external) {
    plan.spill_entries = std::min(needs.most_spill_entries, sizes.full_queue(plan.most_sources));
  }
  return plan;
}

}  // namespace lufact::gpu
