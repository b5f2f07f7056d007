// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_plan.hpp"

#include <algorithm>
#include <bit>

#include "gpu/gsofa/gsofa_sizes.hpp"

namespace lufact::gpu {
namespace {

// What `auto` aims at: warps of the card for each source, whose frontier has a few vertices in most
// iterations; batches of all rows; bytes of the array.
constexpr Offset warps_per_source = 2, most_batches = 16;
constexpr std::uint64_t most_auto_bytes = std::uint64_t{8} << 30;
constexpr Offset paper_most_sources = 4096;

// #C of every batch.
std::vector<GsofaBatch> cut_batches(const GsofaNeeds& needs, const GsofaOptions& options,
                                    const GsofaSizes& sizes, const GsofaWish& wish,
                                    GsofaPlan& plan) {
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
    const GsofaBatch batch = batch_at(
        needs, first,
        fit < left ? whole_chunk_sources(fit, needs.rows.chunk_size, needs.devices) : left);
    first += Offset{batch.slots} * needs.devices;
    batches.push_back(batch);
  }
  return batches;
}

// All batches, and the size of the array that holds each of them.
void divide(const GsofaOptions& options, const GsofaSizes& sizes, GsofaPlan& plan) {
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

GsofaPlan plan_gsofa(const GsofaNeeds& needs, const GsofaOptions& options) {
  require_gsofa_options(needs, options);
  GsofaPlan plan;
  plan.rows = needs.rows;
  plan.devices = needs.devices;
  plan.bubbles = options.bubbles;
  if (needs.rows.positions() == 0) {
    plan.bound = "rows";
    return plan;
  }
  const GsofaSizes sizes(needs, options);
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
