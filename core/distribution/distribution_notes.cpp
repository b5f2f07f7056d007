// SPDX-License-Identifier: BSD-3-Clause
#include "core/distribution/distribution_notes.hpp"

#include <algorithm>
#include <iterator>

namespace lufact {
namespace {

void add_counts(const GsofaNotes& slice, GsofaNotes& sum) {
  sum.batches += slice.batches;
  sum.iterations += slice.iterations;
  sum.edges_checked += slice.edges_checked;
  sum.enqueued += slice.enqueued;
  sum.enqueued_again += slice.enqueued_again;
  sum.reinitialisations += slice.reinitialisations;
  sum.queue.spills += slice.queue.spills;
  sum.queue.spilled_entries += slice.queue.spilled_entries;
  sum.queue.bytes_out += slice.queue.bytes_out;
  sum.queue.bytes_in += slice.queue.bytes_in;
  // A device without rows has none in flight.
  if (slice.batches > 0)
    sum.concurrency.least = std::min(sum.concurrency.least, slice.concurrency.least);
}

void clear_counts(GsofaNotes& notes) {
  notes.batches = notes.iterations = notes.edges_checked = 0;
  notes.enqueued = notes.enqueued_again = notes.reinitialisations = 0;
  notes.queue.spills = notes.queue.spilled_entries = 0;
  notes.queue.bytes_out = notes.queue.bytes_in = 0;
}

// Every entry of a slice is of the same rows; those of other slices count as nothing in it.
void add_profile(const GsofaSources& slice, GsofaSources& sum) {
  if (sum.rows.empty()) {
    sum = slice;
    return;
  }
  for (std::size_t k = 0; k < slice.rows.size(); ++k) {
    const auto own = static_cast<double>(sum.iterations[k]);
    const auto more = static_cast<double>(slice.iterations[k]);
    if (more == 0) continue;
    sum.mean_frontier[k] =
        (sum.mean_frontier[k] * own + slice.mean_frontier[k] * more) / (own + more);
    sum.iterations[k] += slice.iterations[k];
    sum.edges[k] += slice.edges[k];
  }
}

}  // namespace

DistributionNotes begin_distribution(const GsofaOptions& options, const GsofaMachine& machine) {
  DistributionNotes notes;
  notes.nodes = machine.nodes;
  notes.devices_per_node = machine.devices;
  notes.inter = std::string(to_string(options.inter));
  notes.intra = std::string(to_string(options.intra));
  notes.shared = "bits";
  return notes;
}

void combine_gsofa_notes(std::span<const StageNotes* const> slices, StageNotes& notes) {
  const auto most = [](const StageNotes* slice) { return slice->gsofa->concurrency.most; };
  notes.gsofa = (*std::ranges::max_element(slices, {}, most))->gsofa;
  clear_counts(*notes.gsofa);
  double bytes_per_source = 0;
  for (const StageNotes* slice : slices) {
    add_counts(*slice->gsofa, *notes.gsofa);
    std::ranges::copy(slice->chunk_sizes, std::back_inserter(notes.chunk_sizes));
    add_profile(slice->gsofa_sources, notes.gsofa_sources);
    bytes_per_source += slice->bytes_per_source.value_or(0);
  }
  notes.bytes_per_source = bytes_per_source;
  notes.chunks = static_cast<Offset>(notes.chunk_sizes.size());
}

void compare_slices(DistributionNotes& distribution, bool side_by_side) {
  double slowest = 0, sum = 0;
  for (const DistributionSlice& slice : distribution.slices) {
    slowest = std::max(slowest, slice.search_s);
    sum += slice.search_s;
  }
  const auto slices = static_cast<double>(distribution.slices.size());
  distribution.imbalance = sum > 0 ? slowest * slices / sum : 1;
  if (!side_by_side) return;
  for (DistributionSlice& slice : distribution.slices) slice.wait_s = slowest - slice.search_s;
}

}  // namespace lufact
