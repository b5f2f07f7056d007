// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/chunk_planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {
namespace {

constexpr Index most_probed_rows = 64;
// At most, of the lists of the probe.
constexpr std::uint64_t probe_bytes = 4096;
// Chunks of Algorithm 3 up to which nothing is divided. On an H200 (results/h200/chunks.json.xz)
// two and three of them became 4 to 25 of Algorithm 4, and Algorithm 3 took 0.66 to 0.96 of its
// time; seven became 11, and it took 1.07. That was before parts shared memory by their work.
constexpr Index most_undivided_chunks = 3;
// The other parts get one of so many shares of the budget beside the tail at least.
constexpr Offset least_share = 16;
// Queue entries beyond twice the sampled maximum: small frontiers vary more than large ones.
constexpr Index queue_slack = 32;

Index ceil_div(Index a, Index b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// The first row that may exceed `limit`: the row after the last sample before the first sampled
// frontier above `limit`.
Index split_row(std::span<const FrontierSample> samples, double limit) {
  Index row = 0;
  for (const FrontierSample& sample : samples) {
    if (sample.max_frontier > limit) break;
    row = sample.row + 1;
  }
  return row;
}

Index sampled_maximum(std::span<const FrontierSample> samples, Index first_row, Index end_row) {
  Index maximum = 0;
  for (const FrontierSample& sample : samples) {
    if (sample.row >= first_row && sample.row < end_row) {
      maximum = std::max(maximum, sample.max_frontier);
    }
  }
  return maximum;
}

// Bytes of all rows of a part, each weighed by its number: the tags before it, through which its
// search looks. Searches of a launch start together, so that none counts as less than a quarter of
// the longest: few first rows would get memory for one at a time.
double search_weight(const RowArrays& arrays, const RowPart& part) {
  const double rows = part.rows, middle = part.first_row + rows / 2;
  return rows * std::max(middle, 0.25 * arrays.n) *
         static_cast<double>(row_scratch_bytes(arrays, part.queue_capacity));
}

}  // namespace

Index tag_stride(Index n) {
  return ceil_div(n, 4) * 4;
}

std::uint64_t row_scratch_bytes(const RowArrays& arrays, Index queue_capacity) {
  const auto tags = static_cast<std::uint64_t>(tag_stride(arrays.n));
  const auto queue = static_cast<std::uint64_t>(queue_capacity);
  if (!arrays.words) return (tags + queue) * sizeof(Index);
  const auto words = static_cast<std::uint64_t>(*arrays.words);
  return std::max(words * (tags + 2 * queue) / 3, tags + queue) * sizeof(Index);
}

ScratchBudget ScratchBudget::managed(std::uint64_t limit) {
  ScratchBudget budget(limit);
  budget.code = "managed_limit";
  budget.option = "--um-bytes";
  return budget;
}

ScratchBudget ScratchBudget::unlimited() {
  return {std::numeric_limits<std::uint64_t>::max()};
}

Index rows_in_flight(const RowArrays& arrays, Index rows, Index queue_capacity,
                     const ScratchBudget& budget) {
  const std::uint64_t bytes = row_scratch_bytes(arrays, queue_capacity);
  if (rows > 0 && budget.bytes < bytes) {
    throw Error(Outcome::oom_device, std::string(budget.code),
                fmt::format("symbolic factorization needs {} ({} bytes) of scratch for one source "
                            "row of a matrix with {} rows; {} ({} bytes) are left of the budget; "
                            "raise {} or use a larger card",
                            format_byte_size(bytes), bytes, arrays.n,
                            format_byte_size(budget.bytes), budget.bytes, budget.option));
  }
  return static_cast<Index>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(rows), budget.bytes / bytes));
}

std::vector<RowPart> undivided_rows(Index n) {
  RowPart rows{0, n};
  rows.queue_capacity = rows.full_capacity();
  return n > 0 ? std::vector<RowPart>{rows} : std::vector<RowPart>{};
}

std::uint64_t bytes_to_search_again(const RowArrays& arrays) {
  const RowPart all{0, arrays.n};
  return row_scratch_bytes(arrays, all.full_capacity()) +
         static_cast<std::uint64_t>(arrays.n) * sizeof(Index) + probe_bytes;
}

bool is_divisible(const RowArrays& arrays, const ScratchBudget& budget) {
  const RowPart all{0, arrays.n};
  const auto many = static_cast<std::uint64_t>(ceil_div(arrays.n, most_undivided_chunks));
  return budget.bytes / row_scratch_bytes(arrays, all.full_capacity()) < many &&
         budget.bytes / 2 >= bytes_to_search_again(arrays);
}

std::uint64_t bytes_of_tail(const RowArrays& arrays, const ScratchBudget& budget) {
  const RowPart all{0, arrays.n};
  const std::uint64_t probed = most_probed_rows * row_scratch_bytes(arrays, all.full_capacity());
  return budget.bytes - std::max({budget.bytes / least_share, bytes_to_search_again(arrays),
                                  std::min(probed, budget.bytes / 2)});
}

bool tail_suffices(Index slots, Index wanted) {
  return slots <= wanted && wanted * (least_share - 1) <= slots * least_share;
}

std::uint64_t bytes_of_last_part(const RowArrays& arrays, std::span<const RowPart> parts,
                                 const ScratchBudget& budget, std::uint64_t left) {
  if (parts.size() < 2) return budget.bytes;
  double all = 0;
  for (const RowPart& part : parts) all += search_weight(arrays, part);
  const double share = search_weight(arrays, parts.back()) / all;
  const std::uint64_t least = row_scratch_bytes(arrays, parts.back().queue_capacity);
  const std::uint64_t most = budget.bytes - std::min(left, budget.bytes);
  const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(budget.bytes));
  return std::max(least, std::min(wanted, most));
}

std::vector<RowChunk> plan_chunks(const RowArrays& arrays, const RowPart& rows, int part,
                                  const ScratchBudget& budget, Index most_rows) {
  std::vector<RowChunk> chunks;
  if (rows.rows == 0) return chunks;
  const Index most =
      std::min(most_rows, rows_in_flight(arrays, rows.rows, rows.queue_capacity, budget));
  const Index size = ceil_div(rows.rows, ceil_div(rows.rows, most));
  const Index end = rows.first_row + rows.rows;
  for (Index first = rows.first_row; first < end; first += std::min(size, end - first)) {
    chunks.push_back({first, std::min(size, end - first), rows.queue_capacity, part});
  }
  return chunks;
}

std::vector<Index> probe_rows(Index n) {
  const Index count = std::min(n, most_probed_rows);
  std::vector<Index> rows;
  for (Index k = 1; k <= count; ++k) {
    rows.push_back(static_cast<Index>(static_cast<Offset>(k) * n / count - 1));
  }
  return rows;
}

std::vector<RowPart> split_rows(Index n, std::span<const FrontierSample> samples, int parts) {
  const Index maximum = sampled_maximum(samples, 0, n);
  std::vector<RowPart> result;
  Index first = 0;
  for (int part = 1; part <= parts; ++part) {
    const bool last = part == parts;
    const Index end =
        last ? n : std::max(first, split_row(samples, static_cast<double>(maximum) * part / parts));
    if (end == first) continue;
    RowPart rows{first, end - first, 1};
    const Offset wanted =
        2 * static_cast<Offset>(sampled_maximum(samples, first, end)) + queue_slack;
    rows.queue_capacity = last ? rows.full_capacity()
                               : static_cast<Index>(std::min<Offset>(wanted, rows.full_capacity()));
    result.push_back(rows);
    first = end;
  }
  return result;
}

}  // namespace lufact::gpu
