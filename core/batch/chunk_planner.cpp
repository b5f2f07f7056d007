// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/chunk_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/error.hpp"

namespace lufact {
namespace {

constexpr int most_buffers = 4;  // three that move and compute, one that is ready
constexpr Offset chunks_aimed_at = 64;
// Copies reach the link's speed from here on: starting one takes some 10 us, this much 200 us.
constexpr Offset quick_copy_bytes = Offset{8} << 20;

Offset round_up_to_unit(Offset matrices) {
  return (matrices + chunk_unit - 1) / chunk_unit * chunk_unit;
}

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
}

// Where arrays of `matrices` begin, and behind them the bytes of all.
std::vector<std::uint64_t> array_places(const ChunkRequest& request, Offset matrices) {
  std::vector<std::uint64_t> places{0};
  for (const Offset bytes : request.bytes_per_matrix) {
    places.push_back(places.back() + aligned(checked_bytes(matrices, at(bytes))));
  }
  return places;
}

std::uint64_t bytes_of(const ChunkRequest& request, Offset matrices) {
  return array_places(request, matrices).back();
}

void check(const ChunkRequest& request) {
  const bool all_positive =
      std::ranges::all_of(request.bytes_per_matrix, [](Offset bytes) { return bytes > 0; });
  if (request.count < 1 || request.bytes_per_matrix.empty() || !all_positive) {
    throw std::invalid_argument("a batch without matrices or arrays");
  }
  for (const Offset bytes : request.bytes_per_matrix) checked_bytes(request.count, at(bytes));
}

Offset matrix_bytes(const ChunkRequest& request) {
  Offset sum = 0;
  for (const Offset bytes : request.bytes_per_matrix) sum += bytes;
  return sum;
}

// The most matrices, in units, that a buffer of so many bytes has room for whatever the alignment;
// at least one unit, which the caller knows to fit.
Offset most_matrices(const ChunkRequest& request, std::uint64_t bytes) {
  const std::uint64_t lost = chunk_alignment * request.bytes_per_matrix.size();
  if (bytes <= lost) return chunk_unit;
  const auto matrices =
      static_cast<Offset>((bytes - lost) / static_cast<std::uint64_t>(matrix_bytes(request)));
  return std::max(matrices / chunk_unit * chunk_unit, chunk_unit);
}

}  // namespace

Chunk ChunkPlan::chunk(Offset number) const noexcept {
  const Offset first = number * chunk_matrices;
  return {.first = first,
          .matrices = std::min(chunk_matrices, count - first),
          .buffer = static_cast<int>(number % buffers)};
}

std::uint64_t least_chunk_budget(const ChunkRequest& request) {
  check(request);
  return bytes_of(request, std::min(request.count, chunk_unit));
}

ChunkPlan plan_chunks(const ChunkRequest& request) {
  const std::uint64_t least = least_chunk_budget(request);
  if (least > request.budget) {
    throw Error(Outcome::oom_device, "chunk_memory",
                fmt::format("a chunk of {} matrices needs {} bytes, the limit leaves {}",
                            std::min(request.count, chunk_unit), least, request.budget));
  }
  const auto room =
      static_cast<Offset>(std::min<std::uint64_t>(request.budget / least, most_buffers));
  const Offset quick = round_up_to_unit(quick_copy_bytes / matrix_bytes(request) + 1);
  const Offset aim = round_up_to_unit(request.count / chunks_aimed_at + 1);
  const Offset most = most_matrices(request, request.budget / static_cast<std::uint64_t>(room));
  ChunkPlan plan{.count = request.count,
                 .chunk_matrices = std::min({std::max(quick, aim), most, request.count}),
                 .chunks = 0,
                 .array_begin = {}};
  plan.chunks = (plan.count + plan.chunk_matrices - 1) / plan.chunk_matrices;
  plan.buffers = static_cast<int>(std::min(room, plan.chunks));
  plan.array_begin = array_places(request, plan.chunk_matrices);
  plan.buffer_bytes = plan.array_begin.back();
  plan.array_begin.pop_back();
  return plan;
}

}  // namespace lufact
