// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/components/runs.hpp"
#include "gpu/components/scan.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/numeric/supernode_plan.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

__device__ int own_lane() {
  return static_cast<int>(threadIdx.x) % warp_size;
}

// One warp per column k: whether k continues the supernode of k - 1, that is U(k-1,k) != 0 and the
// rows of L(:,k-1) are k and those of L(:,k), of which there are some.
__global__ void join_columns(FactorPattern pattern, Index* joined) {
  const Offset k = own_warp();
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

// The entries of U in the last row of a supernode that open a new target supernode. Such a row
// names every supernode that any row of the supernode names, since the pattern is closed. Calls
// write(place, target) for each and returns their number, in every lane.
template <class Write>
__device__ Offset for_each_target(const FactorPattern& pattern, const Index* supernode_of,
                                  Index row, const Write& write) {
  const Offset begin = pattern.diagonal[row] + 1;
  const Offset end = pattern.row_ptr[row + 1];
  Offset count = 0;
  for (Offset base = begin; base < end; base += warp_size) {
    const Offset p = base + own_lane();
    const Index target = p < end ? supernode_of[pattern.col_idx[p]] : -1;
    const bool opens = p < end && (p == begin || supernode_of[pattern.col_idx[p - 1]] != target);
    const unsigned found = __ballot_sync(0xffffffffU, opens);
    if (opens) write(count + __popc(found & ((1U << own_lane()) - 1)), target);
    count += __popc(found);
  }
  return count;
}

// No padding: it would be copied to the host without ever having been written.
struct PlanCounts {
  Index supernodes, tasks;
  unsigned long long large_supernodes, large_bytes;
};

// One warp per possible supernode and one more, which ends the counts; sets `counts`.
__global__ void count_targets(FactorPattern pattern, const Index* supernode_of, const Index* first,
                              Offset* targets, PlanCounts* counts) {
  const Offset supernode = own_warp();
  if (supernode > pattern.n) return;
  const Index supernodes = supernode_of[pattern.n - 1] + 1;
  Offset count = 0;
  if (supernode < supernodes) {
    count = for_each_target(pattern, supernode_of, first[supernode + 1] - 1, [](Offset, Index) {});
  }
  if (own_lane() != 0) return;
  targets[supernode] = count;
  if (supernode == 0) *counts = {supernodes, 0, 0, 0};
}

// One warp per supernode: its pairs at begin[supernode] and after.
__global__ void list_targets(FactorPattern pattern, const Index* supernode_of, const Index* first,
                             Index supernodes, const Offset* begin, Index* target, Index* source) {
  const Offset supernode = own_warp();
  if (supernode >= supernodes) return;
  const Offset at = begin[supernode];
  for_each_target(pattern, supernode_of, first[supernode + 1] - 1, [&](Offset place, Index j) {
    target[at + place] = j;
    source[at + place] = static_cast<Index>(supernode);
  });
}

// One thread per pair, sorted by target: the first of a target writes where that target, and any
// before it without sources, begin.
__global__ void mark_targets(const Index* sorted, Offset pairs, Index supernodes,
                             Offset* source_ptr) {
  const Offset p = own_thread();
  if (p > pairs) return;
  const Index previous = p == 0 ? -1 : sorted[p - 1];
  const Index here = p == pairs ? supernodes : sorted[p];
  for (Index supernode = previous + 1; supernode <= here; ++supernode) source_ptr[supernode] = p;
}

// One warp per supernode.
__global__ void measure_supernodes(FactorPattern pattern, SupernodesRef view, Index* rows_below,
                                   Index* positions) {
  const Offset supernode = own_warp();
  if (supernode >= view.supernodes) return;
  Index count = 0;
  for (Offset s = view.source_ptr[supernode] + own_lane(); s < view.source_ptr[supernode + 1];
       s += warp_size) {
    const Index source = view.sources[s];
    count += view.first[source + 1] - view.first[source];
  }
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    count += __shfl_xor_sync(0xffffffffU, count, offset);
  }
  if (own_lane() != 0) return;
  const Index last = view.first[supernode + 1] - 1;
  const Offset diagonal = pattern.position[pattern.diagonal[last]];
  const auto below = static_cast<Index>(pattern.col_ptr[last + 1] - diagonal - 1);
  rows_below[supernode] = below;
  positions[supernode] = count + view.first[supernode + 1] - view.first[supernode] + below;
}

// One thread per place of the schedule: whether its column is the last of its supernode. Supernodes
// in the order of their last columns come after their sources: the last column of a source is named
// by a column of the supernode, and the columns of a supernode name each other.
__global__ void mark_last_columns(const Index* columns, const Index* supernode_of,
                                  const Index* first, Index n, Offset* marks) {
  const Offset place = own_thread();
  if (place > n) return;
  marks[place] = place < n && first[supernode_of[columns[place]] + 1] == columns[place] + 1 ? 1 : 0;
}

__global__ void order_supernodes(const Index* columns, const Index* supernode_of, Index n,
                                 const Offset* before, Index* order) {
  const Offset place = own_thread();
  if (place < n && before[place + 1] > before[place]) {
    order[before[place]] = supernode_of[columns[place]];
  }
}

// One thread per place in the order of the supernodes: whether it may share a task with the one
// before.
__global__ void join_tasks(SupernodesRef view, SupernodeSpace space, Index* joined,
                           PlanCounts* counts) {
  const Offset place = own_thread();
  if (place >= view.supernodes) return;
  const auto bytes = [&](Offset at) {
    const Index supernode = view.order[at];
    return supernode_bytes(view.positions[supernode],
                           view.first[supernode + 1] - view.first[supernode], space.value_bytes);
  };
  const Offset own = bytes(place);
  joined[place] =
      place > 0 && own <= space.warp_bytes && bytes(place - 1) <= space.warp_bytes ? 1 : 0;
  if (own <= space.block_bytes) return;
  atomicAdd(&counts->large_supernodes, 1ULL);
  atomicMax(&counts->large_bytes, static_cast<unsigned long long>(own));
}

// One thread.
__global__ void note_tasks(const Index* task_of, Index supernodes, PlanCounts* counts) {
  counts->tasks = task_of[supernodes - 1] + 1;
}

// Makes the parts of a plan one after the other.
class SupernodePlanner {
 public:
  SupernodePlanner(DeviceSession& session, const FactorPattern& pattern,
                   const SupernodeSpace& space)
      : session_(session),
        pattern_(pattern),
        space_(space),
        counts_(session, MemoryRole::scratch, 1, "counts of the plan") {}

  SupernodePlan make(const Index* columns) {
    find_supernodes();
    find_sources();
    order(columns);
    find_tasks();
    return std::move(plan_);
  }

 private:
  Buffer<Index> scratch(Offset size, const char* what) {
    return {session_, MemoryRole::scratch, size, what};
  }

  void find_supernodes() {
    Buffer<Index> joined = scratch(pattern_.n, "columns that continue a supernode");
    launch(session_, warp_each(pattern_.n), join_columns, pattern_, joined.data());
    RunPieces pieces = cut_runs(session_, MemoryRole::resident, joined, supernode_width);
    plan_.first = std::move(pieces.first);
    supernode_of_ = std::move(pieces.piece_of);
  }

  void find_sources() {
    Buffer<Offset> begin(session_, MemoryRole::scratch, pattern_.n + Offset{1},
                         "pairs of supernodes");
    launch(session_, warp_each(pattern_.n + Offset{1}), count_targets, pattern_,
           supernode_of_.data(), plan_.first.data(), begin.data(), counts_.data());
    exclusive_scan_in_place(session_, begin.data(), begin.size());
    plan_.supernodes = read_value(session_, counts_.data()).supernodes;
    const Offset pairs = read_value(session_, begin.data() + plan_.supernodes);
    Buffer<Index> target = scratch(pairs, "targets"), source = scratch(pairs, "sources");
    launch(session_, warp_each(plan_.supernodes), list_targets, pattern_, supernode_of_.data(),
           plan_.first.data(), plan_.supernodes, begin.data(), target.data(), source.data());
    sort_pairs(target, source);
    measure();
  }

  // A stable sort by target leaves the sources of each in ascending order.
  void sort_pairs(const Buffer<Index>& target, const Buffer<Index>& source) {
    const Offset pairs = target.size();
    plan_.sources = {session_, MemoryRole::resident, pairs, "sources of the supernodes"};
    plan_.source_ptr = {session_, MemoryRole::resident, plan_.supernodes + Offset{1},
                        "source offsets of the supernodes"};
    Buffer<Index> sorted = scratch(pairs, "targets in order");
    if (pairs > 0) {
      const int bits = std::bit_width(static_cast<unsigned>(plan_.supernodes));
      std::size_t bytes = 0;
      const auto sort = [&](void* temporary) {
        LUFACT_CUDA(cub::DeviceRadixSort::SortPairs(temporary, bytes, target.data(), sorted.data(),
                                                    source.data(), plan_.sources.data(), pairs, 0,
                                                    bits, session_.stream()));
      };
      sort(nullptr);
      Buffer<unsigned char> temporary(session_, MemoryRole::scratch, static_cast<Offset>(bytes),
                                      "sorting pairs of supernodes");
      sort(temporary.data());
    }
    launch(session_, thread_each(pairs + 1), mark_targets, sorted.data(), pairs, plan_.supernodes,
           plan_.source_ptr.data());
  }

  void measure() {
    plan_.rows_below = {session_, MemoryRole::resident, plan_.supernodes, "rows of the supernodes"};
    plan_.positions = {session_, MemoryRole::resident, plan_.supernodes,
                       "positions of the supernodes"};
    launch(session_, warp_each(plan_.supernodes), measure_supernodes, pattern_, plan_.view(),
           plan_.rows_below.data(), plan_.positions.data());
  }

  void order(const Index* columns) {
    plan_.order = {session_, MemoryRole::resident, plan_.supernodes, "order of the supernodes"};
    Buffer<Offset> before(session_, MemoryRole::scratch, pattern_.n + Offset{1},
                          "supernodes in order");
    launch(session_, thread_each(before.size()), mark_last_columns, columns, supernode_of_.data(),
           plan_.first.data(), pattern_.n, before.data());
    exclusive_scan_in_place(session_, before.data(), before.size());
    launch(session_, thread_each(pattern_.n), order_supernodes, columns, supernode_of_.data(),
           pattern_.n, before.data(), plan_.order.data());
  }

  void find_tasks() {
    Buffer<Index> joined = scratch(plan_.supernodes, "supernodes that share a task");
    launch(session_, thread_each(plan_.supernodes), join_tasks, plan_.view(), space_, joined.data(),
           counts_.data());
    RunPieces pieces = cut_runs(session_, MemoryRole::resident, joined, supernodes_per_task);
    launch(session_, {1, 1}, note_tasks, pieces.piece_of.data(), plan_.supernodes, counts_.data());
    plan_.task_first = std::move(pieces.first);
    const PlanCounts counts = read_value(session_, counts_.data());
    plan_.tasks = counts.tasks;
    plan_.large_supernodes = static_cast<Index>(counts.large_supernodes);
    plan_.large_bytes = static_cast<Offset>(counts.large_bytes);
  }

  DeviceSession& session_;
  FactorPattern pattern_;
  SupernodeSpace space_;
  Buffer<PlanCounts> counts_;
  Buffer<Index> supernode_of_;
  SupernodePlan plan_;
};

}  // namespace

SupernodesRef SupernodePlan::view() const noexcept {
  return {supernodes,        tasks,          first.data(), rows_below.data(), positions.data(),
          source_ptr.data(), sources.data(), order.data(), task_first.data()};
}

std::uint64_t SupernodePlan::bytes() const {
  return first.bytes() + rows_below.bytes() + positions.bytes() + sources.bytes() + order.bytes() +
         task_first.bytes() + source_ptr.bytes();
}

SupernodePlan make_supernode_plan(DeviceSession& session, const FactorPattern& pattern,
                                  const Index* columns, const SupernodeSpace& space) {
  if (pattern.n == 0) return {};
  return SupernodePlanner(session, pattern, space).make(columns);
}

}  // namespace lufact::gpu
