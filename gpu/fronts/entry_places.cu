// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <stdexcept>
#include <utility>

#include "core/fronts/plan/tile_place.hpp"
#include "gpu/components/carver.hpp"
#include "gpu/components/radix_sort.hpp"
#include "gpu/components/thread_each.cuh"
#include "gpu/fronts/entry_places.hpp"
#include "gpu/matrix/pattern_entries.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

// The tree's entries by front, and the fronts' tiles. Tasks are numbered by front, in each by tile
// row and then by tile column.
struct EntriesOfFronts {
  Index fronts = 0;
  Offset entries = 0;
  const Offset* entry_ptr = nullptr;
  const Index *source = nullptr, *row = nullptr, *column = nullptr;
  const FrontShape* shape = nullptr;
  const Index* first_task = nullptr;

  __device__ Index task(Index front, Index tile_row, Index tile_column) const {
    const Index tiles = shape[front].tiles;
    return first_task[front] + tile_row * (tiles < 1 ? 1 : tiles) + tile_column;
  }
};

// One thread an entry.
__global__ void find_places(EntriesOfFronts of, Index* task, Index* entry, std::uint16_t* place) {
  const Offset p = own_thread();
  if (p >= of.entries) return;
  const Index front = row_of_entry({.n = of.fronts, .row_ptr = of.entry_ptr}, p);
  const TilePlace row = tile_place(of.shape[front], of.row[p]);
  const TilePlace column = tile_place(of.shape[front], of.column[p]);
  task[p] = of.task(front, row.tile, column.tile);
  entry[p] = static_cast<Index>(p);
  place[p] = entry_place(row.inside, column.inside);
}

// One thread an entry, by task.
__global__ void gather_entries(EntriesOfFronts of, const Index* entry, const std::uint16_t* place,
                               Index* source_by_task, std::uint16_t* place_by_task) {
  const Offset q = own_thread();
  if (q >= of.entries) return;
  source_by_task[q] = of.source[entry[q]];
  place_by_task[q] = place[entry[q]];
}

__device__ Index first_at_least(const Index* sorted, Offset count, Index value) {
  Offset low = 0, high = count;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (sorted[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<Index>(low);
}

// One thread a task of the factorization, in any order.
__global__ void write_ranges(EntriesOfFronts of, const Index* task_of_entry, Offset tasks,
                             FrontTask* task) {
  const Offset t = own_thread();
  if (t >= tasks) return;
  const Index number = of.task(task[t].front, task[t].tile_row, task[t].tile_column);
  task[t].entry_begin = first_at_least(task_of_entry, of.entries, number);
  task[t].entry_end = first_at_least(task_of_entry, of.entries, number + 1);
}

// The number of the first task of each front, then the number of all.
std::vector<Index> first_tasks(const std::vector<FrontShape>& shapes) {
  std::vector<Index> first{0};
  first.reserve(shapes.size() + 1);
  for (const FrontShape& shape : shapes) {
    first.push_back(checked_index(first.back() + tile_tasks(shape), "the number of tasks"));
  }
  return first;
}

}  // namespace

void place_entries(DeviceSession& session, const DeviceFrontTree& tree,
                   const std::vector<FrontShape>& shapes, DeviceTaskGraph& graph) {
  if (!tree.entries) throw std::logic_error("entries that a task graph has already");
  const DeviceFrontEntries of_tree = std::move(*tree.entries);  // freed behind the kernels
  tree.entries.reset();
  const Offset entries = of_tree.source.size();
  graph.entry_source = {session, MemoryRole::resident, entries, entry_sources};
  graph.entry_place = {session, MemoryRole::resident, entries, entry_places};
  if (entries == 0) return;
  const std::vector<Index> first = first_tasks(shapes);
  const Buffer<Index> first_task =
      upload_copy(session, MemoryRole::scratch, std::span<const Index>(first), "tasks of fronts");
  Index *task = nullptr, *sorted = nullptr, *entry = nullptr, *by_task = nullptr;
  std::uint16_t* place = nullptr;
  SortScratch sorting;
  sorting.bytes = sort_pairs_bytes(session, entries);
  const Buffer<std::byte> work = carve(session, "entries by task", [&](Carver& carver) {
    task = carver.take<Index>(entries);
    sorted = carver.take<Index>(entries);
    entry = carver.take<Index>(entries);
    by_task = carver.take<Index>(entries);
    place = carver.take<std::uint16_t>(entries);
    sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
  });
  const EntriesOfFronts of{static_cast<Index>(shapes.size()),
                           entries,
                           tree.entry_ptr.data(),
                           of_tree.source.data(),
                           of_tree.row.data(),
                           of_tree.column.data(),
                           graph.shape.data(),
                           first_task.data()};
  launch(session, thread_each(entries), find_places, of, task, entry, place);
  const int bits = std::bit_width(static_cast<unsigned>(first.back()));
  sort_pairs(session, sorting, task, sorted, entry, by_task, entries, bits);
  launch(session, thread_each(entries), gather_entries, of, by_task, place,
         graph.entry_source.data(), graph.entry_place.data());
  const Offset tasks = graph.factorization.task.size();
  launch(session, thread_each(tasks), write_ranges, of, sorted, tasks,
         graph.factorization.task.data());
}

}  // namespace lufact::gpu
