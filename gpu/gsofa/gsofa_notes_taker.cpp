// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_notes_taker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lufact::gpu {
namespace {

constexpr Offset most_profiled = 4096;
constexpr std::uint64_t entry_bytes = 2 * sizeof(Index);  // a vertex and its tracker

std::string requested(const GsofaConcurrencyOption& option) {
  using Rule = GsofaConcurrencyOption::Rule;
  switch (option.rule) {
    case Rule::automatic:
      return "auto";
    case Rule::paper:
      return "paper";
    case Rule::fixed:
      break;
  }
  return fmt::format("{}", option.sources);
}

std::uint64_t words(Offset count) {
  return checked_bytes(count, sizeof(std::uint32_t));
}

}  // namespace

GsofaNotesTaker::GsofaNotesTaker(Index n, Offset nnz, StageContext& context)
    : n_(n), context_(context) {
  const GsofaOptions& options = context.options.gsofa;
  notes_.windows = options.windows;
  notes_.fill_first = options.fill_first;
  notes_.external = options.external;
  notes_.bubbles = options.bubbles;
  notes_.dynamic = options.dynamic;
  notes_.layout = std::string(to_string(options.layout));
  notes_.chunk_size = options.chunk_size;
  notes_.concurrency.requested = requested(options.concurrency);
  notes_.bytes.matrix = checked_bytes(nnz, sizeof(Index)) + checked_bytes(n, sizeof(Offset));
}

void GsofaNotesTaker::add(const GsofaBatch& batch, Index slots, const GsofaTally& tally) {
  ++notes_.batches;
  notes_.iterations += tally.iterations;
  notes_.edges_checked += tally.edges;
  notes_.enqueued += tally.enqueued + tally.at_once;
  notes_.enqueued_again += tally.enqueued_again;
  const double table2_entries = static_cast<double>(n_) * slots;
  shares_ += static_cast<double>(tally.enqueued) / table2_entries;
  GsofaQueue& queue = notes_.queue;
  queue.capacity = std::max(queue.capacity, batch.division.queue_capacity);
  queue.peak_share = std::max(queue.peak_share, static_cast<double>(tally.peak) / table2_entries);
  queue.spills += tally.spills;
  queue.spilled_entries += tally.spilled;
  queue.bytes_out += static_cast<std::uint64_t>(tally.spilled) * entry_bytes;
  queue.bytes_in = queue.bytes_out;  // each comes back once
  context_.notes.chunk_sizes.push_back(slots);
  add_bytes(batch, slots);
}

// Of the batch that takes most.
void GsofaNotesTaker::add_bytes(const GsofaBatch& batch, Index slots) {
  GsofaBytes bytes{.matrix = notes_.bytes.matrix,
                   .max_id = words(batch.division.max_id_words),
                   .fill = words(slots * batch.division.fill_stride),
                   .queues = words(2 * batch.division.queue_capacity),
                   .trackers = words(2 * batch.division.queue_capacity)};
  const auto total = [](const GsofaBytes& parts) {
    return parts.max_id + parts.fill + parts.queues + parts.trackers;
  };
  source_bytes_ += static_cast<double>(total(bytes));
  if (total(bytes) > total(notes_.bytes)) notes_.bytes = bytes;
}

void GsofaNotesTaker::add_sources(const Buffer<GsofaSourceTally>& sources,
                                  const GsofaShare& share) {
  if (sources.size() == 0) return;
  const std::vector<GsofaSourceTally> found = sources.download();
  std::vector<GsofaSourceTally> tallies(at(n_));
  for (Offset place = 0; place < share.count(); ++place) {
    tallies[at(share.row(place))] = found[at(place)];
  }
  const Offset per_entry = (n_ + most_profiled - 1) / most_profiled;
  GsofaSources& profile = context_.notes.gsofa_sources;
  for (Offset first = 0; first < n_; first += per_entry) {
    const Offset end = std::min<Offset>(first + per_entry, n_);
    GsofaSourceTally sum;
    for (Offset row = first; row < end; ++row) {
      sum.edges += tallies[at(row)].edges;
      sum.expanded += tallies[at(row)].expanded;
      sum.iterations += tallies[at(row)].iterations;
    }
    profile.first_row.push_back(first);
    profile.rows.push_back(end - first);
    profile.mean_frontier.push_back(sum.iterations > 0 ? static_cast<double>(sum.expanded) /
                                                             static_cast<double>(sum.iterations)
                                                       : 0);
    profile.iterations.push_back(sum.iterations);
    profile.edges.push_back(sum.edges);
  }
}

void GsofaNotesTaker::finish(const GsofaPlan& plan, std::uint64_t budget_bytes) {
  notes_.budget_bytes = budget_bytes;
  notes_.concurrency.least = plan.least_sources;
  notes_.concurrency.most = plan.most_sources;
  notes_.concurrency.bound = std::string(plan.bound);
  notes_.bytes.by_table2 = gsofa_table2_bytes(n_, plan.most_sources);
  notes_.reinitialisations = plan.reinitialisations;
  if (notes_.iterations > 0) {
    notes_.queue.mean_share = shares_ / static_cast<double>(notes_.iterations);
  }
  if (n_ > 0) context_.notes.bytes_per_source = source_bytes_ / n_;
  context_.notes.chunks = static_cast<Offset>(context_.notes.chunk_sizes.size());
  context_.notes.gsofa = std::move(notes_);
}

}  // namespace lufact::gpu
