// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/components/runs.hpp"
#include "gpu/components/scan.hpp"
#include "gpu/numeric/supernode_plan.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

LaunchShape thread_per(Offset items) {
  return {ceil_div(items, threads), threads};
}
LaunchShape warp_per(Offset items) {
  return {ceil_div(items * warp_size, threads), threads};
}

__device__ Offset own_thread() {
  return blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
}
__device__ int own_lane() {
  return static_cast<int>(threadIdx.x) % warp_size;
}

// One warp per column k: whether k continues the panel of k - 1, that is U(k-1,k) != 0 and the rows
// of L(:,k-1) are k and those of L(:,k), of which there are some.
__global__ void join_columns(FactorPattern pattern, Index* joined) {
  const Offset k = own_thread() / warp_size;
  if (k >= pattern.n) return;
  bool same = k > 0;
  if (same) {
    const Offset begin = pattern.col_ptr[k];
    const Offset left = pattern.position[pattern.diagonal[k - 1]] + 1;
    const Offset diagonal = pattern.position[pattern.diagonal[k]];
    const Offset count = pattern.col_ptr[k + 1] - diagonal - 1;
    same = count > 0 && begin - left == count + 1 && pattern.row_idx[left] == k &&
           diagonal > begin && pattern.row_idx[diagonal - 1] == k - 1;
    for (Offset t = own_lane(); same && t < count; t += warp_size) {
      same = pattern.row_idx[left + 1 + t] == pattern.row_idx[diagonal + 1 + t];
    }
  }
  same = __all_sync(0xffffffffU, same);
  if (own_lane() == 0) joined[k] = same ? 1 : 0;
}

// The entries of U in the last row of a panel that open a new target panel. Such a row names every
// panel that any row of the panel names, since the pattern is closed. Calls write(place, target)
// for each and returns their number, in every lane.
template <class Write>
__device__ Offset for_each_target(const FactorPattern& pattern, const Index* panel_of, Index row,
                                  const Write& write) {
  const Offset begin = pattern.diagonal[row] + 1;
  const Offset end = pattern.row_ptr[row + 1];
  Offset count = 0;
  for (Offset base = begin; base < end; base += warp_size) {
    const Offset p = base + own_lane();
    const Index target = p < end ? panel_of[pattern.col_idx[p]] : -1;
    const bool opens = p < end && (p == begin || panel_of[pattern.col_idx[p - 1]] != target);
    const unsigned found = __ballot_sync(0xffffffffU, opens);
    if (opens) write(count + __popc(found & ((1U << own_lane()) - 1)), target);
    count += __popc(found);
  }
  return count;
}

// Without padding, which would be copied to the host without ever having been written.
struct PlanCounts {
  Index panels, tasks;
  unsigned long long large_panels, large_bytes;
};

// One warp per possible panel and one more, which ends the counts; sets `counts`.
__global__ void count_targets(FactorPattern pattern, const Index* panel_of, const Index* first,
                              Offset* targets, PlanCounts* counts) {
  const Offset panel = own_thread() / warp_size;
  if (panel > pattern.n) return;
  const Index panels = panel_of[pattern.n - 1] + 1;
  Offset count = 0;
  if (panel < panels) {
    count = for_each_target(pattern, panel_of, first[panel + 1] - 1, [](Offset, Index) {});
  }
  if (own_lane() != 0) return;
  targets[panel] = count;
  if (panel == 0) *counts = {panels, 0, 0, 0};
}

// One warp per panel: its pairs at begin[panel] and after.
__global__ void list_targets(FactorPattern pattern, const Index* panel_of, const Index* first,
                             Index panels, const Offset* begin, Index* target, Index* source) {
  const Offset panel = own_thread() / warp_size;
  if (panel >= panels) return;
  const Offset at = begin[panel];
  for_each_target(pattern, panel_of, first[panel + 1] - 1, [&](Offset place, Index j) {
    target[at + place] = j;
    source[at + place] = static_cast<Index>(panel);
  });
}

// One thread per pair, sorted by target: the first of a target writes where that target, and any
// before it without sources, begin.
__global__ void mark_targets(const Index* sorted, Offset pairs, Index panels, Offset* source_ptr) {
  const Offset p = own_thread();
  if (p > pairs) return;
  const Index previous = p == 0 ? -1 : sorted[p - 1];
  const Index here = p == pairs ? panels : sorted[p];
  for (Index panel = previous + 1; panel <= here; ++panel) source_ptr[panel] = p;
}

// One warp per panel.
__global__ void measure_panels(FactorPattern pattern, PanelsRef view, Index* rows_below,
                               Index* positions) {
  const Offset panel = own_thread() / warp_size;
  if (panel >= view.panels) return;
  Index count = 0;
  for (Offset s = view.source_ptr[panel] + own_lane(); s < view.source_ptr[panel + 1];
       s += warp_size) {
    const Index source = view.sources[s];
    count += view.first[source + 1] - view.first[source];
  }
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    count += __shfl_xor_sync(0xffffffffU, count, offset);
  }
  if (own_lane() != 0) return;
  const Index last = view.first[panel + 1] - 1;
  const Offset diagonal = pattern.position[pattern.diagonal[last]];
  const auto below = static_cast<Index>(pattern.col_ptr[last + 1] - diagonal - 1);
  rows_below[panel] = below;
  positions[panel] = count + view.first[panel + 1] - view.first[panel] + below;
}

// One thread per place of the schedule: whether its column is the last of its panel. Panels in the
// order of their last columns come after their sources: the last column of a source is named by a
// column of the panel, and the columns of a panel name each other.
__global__ void mark_last_columns(const Index* columns, const Index* panel_of, const Index* first,
                                  Index n, Offset* marks) {
  const Offset place = own_thread();
  if (place > n) return;
  marks[place] = place < n && first[panel_of[columns[place]] + 1] == columns[place] + 1 ? 1 : 0;
}

__global__ void order_panels(const Index* columns, const Index* panel_of, Index n,
                             const Offset* before, Index* order) {
  const Offset place = own_thread();
  if (place < n && before[place + 1] > before[place]) {
    order[before[place]] = panel_of[columns[place]];
  }
}

// One thread per place in the order of the panels: whether it may share a task with the one before.
__global__ void join_tasks(PanelsRef view, PanelSpace space, Index* joined, PlanCounts* counts) {
  const Offset place = own_thread();
  if (place >= view.panels) return;
  const auto bytes = [&](Offset at) {
    const Index panel = view.order[at];
    return panel_bytes(view.positions[panel], view.first[panel + 1] - view.first[panel],
                       space.value_bytes);
  };
  const Offset own = bytes(place);
  joined[place] =
      place > 0 && own <= space.warp_bytes && bytes(place - 1) <= space.warp_bytes ? 1 : 0;
  if (own <= space.block_bytes) return;
  atomicAdd(&counts->large_panels, 1ULL);
  atomicMax(&counts->large_bytes, static_cast<unsigned long long>(own));
}

// One thread.
__global__ void note_tasks(const Index* task_of, Index panels, PlanCounts* counts) {
  counts->tasks = task_of[panels - 1] + 1;
}

// Makes the parts of a plan one after the other.
class PanelPlanner {
 public:
  PanelPlanner(DeviceSession& session, const FactorPattern& pattern, const PanelSpace& space)
      : session_(session),
        pattern_(pattern),
        space_(space),
        counts_(session, MemoryRole::scratch, 1, "counts of the plan") {}

  PanelPlan make(const Index* columns) {
    find_panels();
    find_sources();
    order(columns);
    find_tasks();
    return std::move(plan_);
  }

 private:
  Buffer<Index> scratch(Offset size, const char* what) {
    return {session_, MemoryRole::scratch, size, what};
  }

  void find_panels() {
    Buffer<Index> joined = scratch(pattern_.n, "columns that continue a panel");
    launch(session_, warp_per(pattern_.n), join_columns, pattern_, joined.data());
    RunPieces pieces = cut_runs(session_, MemoryRole::resident, joined, panel_width);
    plan_.first = std::move(pieces.first);
    panel_of_ = std::move(pieces.piece_of);
  }

  void find_sources() {
    Buffer<Offset> begin(session_, MemoryRole::scratch, pattern_.n + Offset{1}, "pairs of panels");
    launch(session_, warp_per(pattern_.n + Offset{1}), count_targets, pattern_, panel_of_.data(),
           plan_.first.data(), begin.data(), counts_.data());
    exclusive_scan_in_place(session_, begin.data(), begin.size());
    plan_.panels = read_value(session_, counts_.data()).panels;
    const Offset pairs = read_value(session_, begin.data() + plan_.panels);
    Buffer<Index> target = scratch(pairs, "targets"), source = scratch(pairs, "sources");
    launch(session_, warp_per(plan_.panels), list_targets, pattern_, panel_of_.data(),
           plan_.first.data(), plan_.panels, begin.data(), target.data(), source.data());
    sort_pairs(target, source);
    measure();
  }

  // A stable sort by target leaves the sources of each in ascending order.
  void sort_pairs(const Buffer<Index>& target, const Buffer<Index>& source) {
    const Offset pairs = target.size();
    plan_.sources = {session_, MemoryRole::resident, pairs, "sources of the panels"};
    plan_.source_ptr = {session_, MemoryRole::resident, plan_.panels + Offset{1},
                        "source offsets of the panels"};
    Buffer<Index> sorted = scratch(pairs, "targets in order");
    if (pairs > 0) {
      const int bits = std::bit_width(static_cast<unsigned>(plan_.panels));
      std::size_t bytes = 0;
      const auto sort = [&](void* temporary) {
        LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(temporary, bytes, target.data(), sorted.data(),
                                                    source.data(), plan_.sources.data(), pairs, 0,
                                                    bits, session_.stream()));
      };
      sort(nullptr);
      Buffer<unsigned char> temporary(session_, MemoryRole::scratch, static_cast<Offset>(bytes),
                                      "sorting pairs of panels");
      sort(temporary.data());
    }
    launch(session_, thread_per(pairs + 1), mark_targets, sorted.data(), pairs, plan_.panels,
           plan_.source_ptr.data());
  }

  void measure() {
    plan_.rows_below = {session_, MemoryRole::resident, plan_.panels, "rows of the panels"};
    plan_.positions = {session_, MemoryRole::resident, plan_.panels, "positions of the panels"};
    launch(session_, warp_per(plan_.panels), measure_panels, pattern_, plan_.view(),
           plan_.rows_below.data(), plan_.positions.data());
  }

  void order(const Index* columns) {
    plan_.order = {session_, MemoryRole::resident, plan_.panels, "order of the panels"};
    Buffer<Offset> before(session_, MemoryRole::scratch, pattern_.n + Offset{1}, "panels in order");
    launch(session_, thread_per(before.size()), mark_last_columns, columns, panel_of_.data(),
           plan_.first.data(), pattern_.n, before.data());
    exclusive_scan_in_place(session_, before.data(), before.size());
    launch(session_, thread_per(pattern_.n), order_panels, columns, panel_of_.data(), pattern_.n,
           before.data(), plan_.order.data());
  }

  void find_tasks() {
    Buffer<Index> joined = scratch(plan_.panels, "panels that share a task");
    launch(session_, thread_per(plan_.panels), join_tasks, plan_.view(), space_, joined.data(),
           counts_.data());
    RunPieces pieces = cut_runs(session_, MemoryRole::resident, joined, panels_per_task);
    launch(session_, {1, 1}, note_tasks, pieces.piece_of.data(), plan_.panels, counts_.data());
    plan_.task_first = std::move(pieces.first);
    const PlanCounts counts = read_value(session_, counts_.data());
    plan_.tasks = counts.tasks;
    plan_.large_panels = static_cast<Index>(counts.large_panels);
    plan_.large_bytes = static_cast<Offset>(counts.large_bytes);
  }

  DeviceSession& session_;
  FactorPattern pattern_;
  PanelSpace space_;
  Buffer<PlanCounts> counts_;
  Buffer<Index> panel_of_;
  PanelPlan plan_;
};

}  // namespace

PanelsRef PanelPlan::view() const noexcept {
  return {panels,           tasks,
          first.data(),     rows_below.data(),
          positions.data(), source_ptr.data(),
          sources.data(),   order.data(),
          task_first.data()};
}

std::uint64_t PanelPlan::bytes() const {
  return first.bytes() + rows_below.bytes() + positions.bytes() + sources.bytes() + order.bytes() +
         task_first.bytes() + source_ptr.bytes();
}

PanelPlan make_panel_plan(DeviceSession& session, const FactorPattern& pattern,
                          const Index* columns, const PanelSpace& space) {
  if (pattern.n == 0) return {};
  return PanelPlanner(session, pattern, space).make(columns);
}

}  // namespace lufact::gpu
