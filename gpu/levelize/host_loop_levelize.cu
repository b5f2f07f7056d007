// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <optional>
#include <stdexcept>
#include <vector>

#include "gpu/levelize/dependency_graph.hpp"
#include "gpu/levelize/host_loop_levelize.hpp"
#include "gpu/runtime/launch.cuh"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
constexpr Index most_threads_per_column = 8192;

// Columns in the order in which their last dependency was met; levels lie one behind the other.
struct QueueRef {
  Index* columns = nullptr;
  Index* length = nullptr;
  Index* level_of = nullptr;
};

__device__ void append(const QueueRef& queue, Index column, Index level) {
  queue.level_of[column] = level;
  queue.columns[atomicAdd(queue.length, 1)] = column;
}

__device__ void meet(const QueueRef& queue, Index* unmet, Index column, Index level) {
  if (atomicSub(&unmet[column], 1) == 1) append(queue, column, level);
}

__global__ void start_queue(Index n, const Index* unmet, QueueRef queue) {
  const Offset column = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column < n && unmet[column] == 0) append(queue, static_cast<Index>(column), 0);
}

// Takes the edges of queue.columns[begin .. begin + count) away, `threads` threads for each column;
// the columns that become free are of `level`.
__global__ void process_level(GraphRef graph, Index* unmet, QueueRef queue, Index begin,
                              Index count, Index threads, Index level) {
  const Offset thread = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Offset turn = thread / threads;
  if (turn >= count) return;
  const Index column = queue.columns[begin + turn];
  const Index rank = static_cast<Index>(thread % threads);
  if (graph.lower_begin[column] == graph.lower_begin[column + 1]) return;
  const Offset row_end = graph.pattern.row_ptr[column + 1];
  for (Offset p = graph.diagonal[column] + 1 + rank; p < row_end; p += threads) {
    meet(queue, unmet, graph.pattern.col_idx[p], level);
  }
  for (Offset p = graph.lower_begin[column] + rank; p < graph.lower_end[column]; p += threads) {
    meet(queue, unmet, graph.lower_rows[p], level);
  }
}

__global__ void number(Index n, Index* numbers) {
  const Offset k = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < n) numbers[k] = static_cast<Index>(k);
}

// A narrow level spreads each of its columns over more threads, so that the card is not idle.
Index threads_per_column(const DeviceSession& session, Index columns) {
  const auto card = static_cast<unsigned>(session.max_resident_warps()) * warp_size;
  const unsigned share = std::bit_floor(std::max(card / static_cast<unsigned>(columns), 1u));
  return std::clamp<Index>(static_cast<Index>(share), warp_size, most_threads_per_column);
}

// Fills schedule.level_of and schedule.level_ptr.
void sort_topologically(DeviceSession& session, DependencyGraph& graph,
                        DeviceColumnSchedule& schedule) {
  const Index n = schedule.n;
  Buffer<Index> columns(session, MemoryRole::scratch, n, "the queue of columns");
  Buffer<Index> length(session, MemoryRole::scratch, 1, "the length of the queue");
  length.fill_bytes(0);
  const QueueRef queue{columns.data(), length.data(), schedule.level_of.data()};
  launch(session, {ceil_div(n, block_threads), block_threads}, start_queue, n, graph.unmet(),
         queue);
  schedule.level_ptr = {0};
  Index end = read_value(session, length.data());
  while (end > schedule.level_ptr.back()) {
    const Index begin = schedule.level_ptr.back();
    const auto level = static_cast<Index>(schedule.level_ptr.size());
    schedule.level_ptr.push_back(end);
    if (end == n) return;
    const Index threads = threads_per_column(session, end - begin);
    const Offset all_threads = static_cast<Offset>(end - begin) * threads;
    launch(session, {ceil_div(all_threads, block_threads), block_threads}, process_level,
           graph.view(), graph.unmet(), queue, begin, end - begin, threads, level);
    end = read_value(session, length.data());
  }
  if (end != n) throw std::logic_error("the dependencies of the columns form a cycle");
}

// Columns by level, ascending inside a level: a stable sort of the column numbers by level.
void order_columns(DeviceSession& session, DeviceColumnSchedule& schedule) {
  const Index n = schedule.n;
  Buffer<Index> numbers(session, MemoryRole::scratch, n, "the column numbers");
  Buffer<Index> sorted_levels(session, MemoryRole::scratch, n, "the sorted levels");
  launch(session, {ceil_div(n, block_threads), block_threads}, number, n, numbers.data());
  const auto levels = static_cast<unsigned>(schedule.level_ptr.size() - 1);
  const int bits = std::max(static_cast<int>(std::bit_width(levels)), 1);
  std::size_t bytes = 0;
  LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(
      nullptr, bytes, schedule.level_of.data(), sorted_levels.data(), numbers.data(),
      schedule.columns.data(), n, 0, bits, session.stream()));
  Buffer<unsigned char> temporary(session, MemoryRole::scratch, static_cast<Offset>(bytes),
                                  "the sort of the columns by level");
  LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(
      temporary.data(), bytes, schedule.level_of.data(), sorted_levels.data(), numbers.data(),
      schedule.columns.data(), n, 0, bits, session.stream()));
  session.synchronize();
}

class HostLoopLevelize final : public LevelizeStage {
 public:
  const StageInfo& info() const noexcept override { return host_loop_levelize_info(); }

  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-host-loop needs a device session");
    DeviceSession& session = *context.device;
    const auto& pattern = product_cast<DeviceColumnPattern>(*symbolic);
    auto schedule = std::make_shared<DeviceColumnSchedule>();
    schedule->rule = context.options.dependency;
    schedule->n = pattern.n;
    schedule->level_of =
        Buffer<Index>(session, MemoryRole::resident, pattern.n, "the level of each column");
    schedule->columns =
        Buffer<Index>(session, MemoryRole::resident, pattern.n, "the columns by level");
    schedule->level_ptr = {0};
    if (pattern.n > 0) build(session, pattern, context, *schedule);
    return schedule;
  }

 private:
  static void build(DeviceSession& session, const DeviceColumnPattern& pattern,
                    StageContext& context, DeviceColumnSchedule& schedule) {
    std::optional<DependencyGraph> graph;
    {
      const auto phase = context.phases.scope("graph");
      graph.emplace(session, pattern, schedule.rule);
    }
    const auto phase = context.phases.scope("levels");
    sort_topologically(session, *graph, schedule);
    graph.reset();
    order_columns(session, schedule);
  }
};

}  // namespace

std::unique_ptr<LevelizeStage> make_host_loop_levelize() {
  return std::make_unique<HostLoopLevelize>();
}

}  // namespace lufact::gpu
