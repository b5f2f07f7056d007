// SPDX-License-Identifier: BSD-3-Clause
#include <cub/block/block_scan.cuh>

#include "gpu/components/grid.cuh"
#include "gpu/gsofa/gsofa_search.cuh"

namespace lufact::gpu {
namespace {

// Three blocks of so many threads on a multiprocessor: 48 warps, at 42 registers.
constexpr int block_threads = 512;
constexpr int blocks_per_multiprocessor = 3;
constexpr int block_warps = block_threads / warp_size;
// A warp has as many as this to do where there is enough for all, so that none waits for the
// others.
constexpr Offset tiles_per_warp = 4;
constexpr int most_parts = 32;  // warps that share the edges of a frontier vertex
// Fewer warps than this are no better than one that leaves a long row to its block.
constexpr int least_parts = block_warps / 2;
// Warps go on with what they found while the queue has at most so many edges for each lane: beyond
// that the barrier costs little beside them.
constexpr Offset most_lane_edges = 4;
constexpr Offset cleared_words = 512;  // by a warp at once

using Counter = cuda::atomic_ref<Offset, cuda::thread_scope_device>;

struct BlockStorage {
  WarpFrontier warps[block_warps];
  Offset places[block_warps];
  LongRows long_rows;
  GsofaTally tally;  // of the first block: what one thread counts
  typename cub::BlockScan<Offset, block_threads>::TempStorage scan;
};

template <class Layout, bool profiled>
class BatchSearch {
 public:
  __device__ BatchSearch(const GsofaTask& task, BlockStorage& storage)
      : task_(task),
        storage_(storage),
        expansion_(task, storage.warps[warp_in_block()], storage.long_rows) {}

  __device__ void run() {
    if (threadIdx.x == 0) storage_.long_rows.clear();
    if (task_.resumes) {
      if (grid_.rank() == 0) storage_.tally = task_.control->tally;
    } else {
      clear();
      grid_.sync();
      seed();
    }
    if (iterate()) {
      end_rows();
    } else if (grid_.rank() == 0) {
      *task_.page = GsofaTally{.end = GsofaTally::wants_spill};
    }
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  __device__ static int warp_in_block() { return static_cast<int>(threadIdx.x) / warp_size; }
  // Warps of one block are far apart, so that a few items go to as many multiprocessors.
  __device__ static Offset warp() {
    return Offset{warp_in_block()} * gridDim.x + static_cast<Offset>(blockIdx.x);
  }
  __device__ static Offset warps() { return Offset{gridDim.x} * block_warps; }

  // Everything in a slot but tags.
  __device__ void clear() {
    if (grid_.rank() == 0) {
      *task_.control = GsofaControl{};
      storage_.tally = GsofaTally{};
    }
    const Offset first = Layout::merged ? 0 : task_.words.put_off;
    const Offset segments = ceil_div(task_.words.stride - first, cleared_words);
    for (Offset unit = warp(); unit < segments * task_.slots.count; unit += warps()) {
      const auto slot = static_cast<Index>(unit / segments);
      MarkWord* const words = slot_words(task_, slot);
      const Offset begin = first + unit % segments * cleared_words;
      const Offset end = min(begin + cleared_words, task_.words.stride);
      for (Offset k = begin + lane(); k < end; k += warp_size) words[k] = 0;
    }
    if constexpr (profiled) {
      grid_.for_each(task_.slots.count, [&](Offset k) { task_.sources[k] = {}; });
    }
  }

  // Rows of which a warp's lanes take several at once: then one warp may go on by itself, while of
  // longer ones the few that it finds have edges for many warps.
  __device__ bool rows_are_short() const { return 4 * task_.mean_degree <= warp_size; }

  // Where there are fewer slots, or frontier vertices, than warps, several warps share one: all the
  // same, unless rows are short and the block helps with the few that are not.
  __device__ int parts_of(Offset items, bool shares) const {
    if (items >= warps()) return 1;
    const int parts = min(static_cast<int>(warps()) / static_cast<int>(items), most_parts);
    return shares && parts < least_parts && rows_are_short() ? 1 : parts;
  }

  __device__ void seed() {
    const int parts = parts_of(task_.slots.count, true);
    const Offset units = Offset{parts} * task_.slots.count;
    for (Offset unit = warp(); unit < units; unit += warps()) {
      const auto slot = static_cast<Index>(unit / parts);
      if (expansion_.leaves_to_block(task_.slots.row(slot), slot, parts)) continue;
      expansion_.seed(slot, static_cast<int>(unit % parts), parts);
    }
    LongRowParts long_rows(storage_.long_rows);
    while (long_rows.next()) {
      expansion_.seed(long_rows.row().of.slot, long_rows.part(), long_rows.row().parts);
    }
    long_rows.close();
    put_rest(0);
  }

  // False where it was left for want of spill memory. One barrier an iteration: the counter that an
  // iteration reads was filled by the one before; the third one is cleared meanwhile.
  __device__ bool iterate() {
    const Offset room = FrontierPlaces::room(task_);
    int level = task_.resumes ? task_.control->level : 0;
    bool put_off = task_.resumes;  // there are vertices with put-off bits
    for (;; ++level) {
      grid_.sync();
      const Offset wanted = Counter(*tail(task_, level)).load(cuda::memory_order_relaxed);
      const Offset count = min(wanted, room);
      put_off = put_off || wanted > room;
      if (count == 0 && !put_off) break;
      if (put_off && task_.wants_spill) {
        leave(level, count);
        return false;
      }
      if (grid_.rank() == 0) note(level, count);
      if (count > 0) {
        expand(level, count);
      } else {
        sweep(level);
        put_off = false;
      }
      put_rest(level + 1);
    }
    return true;
  }

  __device__ void leave(int level, Offset count) {
    expansion_.add_to(task_.control->tally);
    grid_.sync();  // all have read the counter
    if (grid_.rank() != 0) return;
    *tail(task_, level) = count;
    task_.control->level = level;
    task_.control->tally = whole_tally();
  }

  // By one thread.
  __device__ void note(int level, Offset count) {
    *tail(task_, level + 2) = 0;
    GsofaTally& tally = storage_.tally;
    ++tally.iterations;
    tally.enqueued += count;
    tally.peak = max(tally.peak, count);
    const Offset spilled = count - task_.division.queue_capacity;
    if (spilled <= 0) return;
    ++tally.spills;
    tally.spilled += spilled;
  }

  // Frontier vertices of a tile: so many that every warp has its share, but of short rows as many
  // as its lanes have edges for, for a tile takes the same time with all lanes as with a few.
  __device__ int tile_items(Offset count) const {
    const Offset lanes =
        min(ceil_div(count, warps()), Offset{max(warp_size / task_.mean_degree, 1)});
    return static_cast<int>(
        min(max(count / (tiles_per_warp * warps()), lanes), Offset{most_items(task_.matrix.n)}));
  }

  // Gathered vertices with which a warp goes on: a few times what its lanes have edges for. More
  // are for other warps as well.
  __device__ int most_gathered(Offset count) const {
    if (!rows_are_short()) return 0;
    if (count * task_.mean_degree > most_lane_edges * warps() * warp_size) return 0;
    return min(4 * (warp_size / task_.mean_degree), most_items(task_.matrix.n));
  }

  // Its tiles of the queue, then what it has gathered itself, then parts of the block's long rows.
  __device__ void expand(int level, Offset count) {
    constexpr bool shares = Layout::levels_at_once > 1;
    int parts = parts_of(count, shares), part = static_cast<int>(warp()) % parts;
    const int per_tile = tile_items(count), most_more = shares ? most_gathered(count) : 0;
    Offset first = static_cast<int>(warp()) / parts * Offset{per_tile};
    int levels = 1;
    LongRowParts long_rows(storage_.long_rows);
    for (;;) {
      FrontierVertex own;
      int items = 1;
      if (first < count) {
        items = static_cast<int>(min(Offset{per_tile}, count - first));
        own = expansion_.queued(level, first, items);
        first += warps() * per_tile;
      } else if (levels < Layout::levels_at_once && expansion_.has_gathered(most_more)) {
        ++levels;
        items = expansion_.gathered();
        own = expansion_.take_gathered();
        part = 0;
        parts = 1;
      } else if constexpr (shares) {
        levels = Layout::levels_at_once;
        if (!long_rows.next()) break;
        own = long_rows.row().of;
        part = long_rows.part();
        parts = long_rows.row().parts;
      } else {
        break;
      }
      expansion_.expand(level, own, items, part, parts, shares && parts == 1);
    }
    if constexpr (shares) long_rows.close();
  }

  // Vertices that found no place, while the places last.
  __device__ void sweep(int level) {
    const Offset words = GsofaSlotWords::bit_words(task_.matrix.n);
    const Offset segments = ceil_div(words, Offset{warp_size});
    const FrontierPlaces places(task_, level + 1);
    for (Offset unit = warp(); unit < segments * task_.slots.count; unit += warps()) {
      const auto slot = static_cast<Index>(unit / segments);
      const Offset word = unit % segments * warp_size + lane();
      MarkWord* const held = slot_words(task_, slot) + task_.words.put_off + word;
      const MarkWord bits = word < words ? *held : 0;
      const MarkWord left = place_bits(places, level, slot, static_cast<Index>(word * 32), bits);
      if (left != bits) *held = left;
    }
  }

  // Returns the bits that are left.
  __device__ MarkWord place_bits(const FrontierPlaces& places, int level, Index slot,
                                 Index first_vertex, MarkWord bits) {
    for (;;) {
      const unsigned have = __ballot_sync(full_warp, bits != 0);
      if (have == 0) return bits;
      Offset place = 0;
      if (lane() == 0) place = Counter(*tail(task_, level + 1)).fetch_add(__popc(have));
      place = __shfl_sync(full_warp, place, 0) + __popc(have & ((1u << lane()) - 1));
      const bool placed = bits != 0 && place < FrontierPlaces::room(task_);
      if (placed) {
        places.put(place, first_vertex + __ffs(static_cast<int>(bits)) - 1, slot);
        bits &= bits - 1;
      }
      if (__ballot_sync(full_warp, placed) != have) return bits;
    }
  }

  // What the warps of a block still have gathered, for iteration `level`.
  __device__ void put_rest(int level) {
    const int count = expansion_.gathered();
    if (lane() == 0) storage_.places[warp_in_block()] = count;
    if (__syncthreads_or(count) == 0) return;
    if (warp_in_block() == 0) place_rest(level);
    __syncthreads();
    expansion_.put_gathered(level, storage_.places[warp_in_block()]);
  }

  // By one warp: the counts of the block's warps become their places.
  __device__ void place_rest(int level) {
    const Offset own = lane() < block_warps ? storage_.places[lane()] : 0;
    Offset end = own;
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const Offset other = __shfl_up_sync(full_warp, end, distance);
      if (lane() >= distance) end += other;
    }
    Offset begin = 0;
    if (lane() == warp_size - 1) begin = Counter(*tail(task_, level)).fetch_add(end);
    begin = __shfl_sync(full_warp, begin, warp_size - 1);
    if (lane() < block_warps) storage_.places[lane()] = begin + end - own;
  }

  // The counts of a row's pieces become their places in it, the counts of the rows their ends.
  __device__ void end_rows() {
    expansion_.add_to(task_.control->tally);
    const Offset pieces = GsofaSlotWords::pieces(task_.matrix.n);
    Offset* const row_ptr = task_.row_ptr + task_.place;
    for (Offset slot = warp(); slot < task_.slots.count; slot += warps()) {
      std::uint32_t* const counts = piece_counts(task_, static_cast<Index>(slot));
      std::uint32_t before = 0;
      for (Offset first = 0; first <= pieces; first += warp_size) {
        const Offset k = first + lane();
        const std::uint32_t own = k < pieces ? counts[k] : 0;
        std::uint32_t end = own;
        for (int distance = 1; distance < warp_size; distance *= 2) {
          const std::uint32_t other = __shfl_up_sync(full_warp, end, distance);
          if (lane() >= distance) end += other;
        }
        if (k <= pieces) counts[k] = before + end - own;
        before += __shfl_sync(full_warp, end, warp_size - 1);
      }
      if (lane() == 0) row_ptr[slot + 1] = before;
    }
    grid_.sync();
    if (blockIdx.x == 0) add_row_counts(row_ptr);
  }

  // By the thread that notes, after all have added their counts.
  __device__ GsofaTally whole_tally() const {
    GsofaTally tally = storage_.tally;
    tally.edges = task_.control->tally.edges;
    tally.at_once = task_.control->tally.at_once;
    tally.enqueued_again = task_.control->tally.enqueued_again;
    return tally;
  }

  // By one block.
  __device__ void add_row_counts(Offset* row_ptr) {
    Offset before = row_ptr[0];
    for (Offset first = 0; first < task_.slots.count; first += block_threads) {
      const Offset k = first + static_cast<Offset>(threadIdx.x);
      const bool row = k < task_.slots.count;
      Offset end = row ? row_ptr[k + 1] : 0, total = 0;
      cub::BlockScan<Offset, block_threads>(storage_.scan).InclusiveSum(end, end, total);
      if (row) row_ptr[k + 1] = before + end;
      before += total;
      __syncthreads();
    }
    if (threadIdx.x != 0) return;
    GsofaTally tally = whole_tally();
    tally.end = before;
    *task_.page = tally;
  }

  const GsofaTask& task_;
  BlockStorage& storage_;
  WarpExpansion<Layout, profiled> expansion_;
  Grid grid_;
};

template <class Layout, bool profiled>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    search_batch(const __grid_constant__ GsofaTask task) {
  __shared__ BlockStorage storage;
  BatchSearch<Layout, profiled>(task, storage).run();
}

using SearchKernel = void (*)(GsofaTask);

template <class Layout>
SearchKernel kernel_of(bool profiled) {
  return profiled ? search_batch<Layout, true> : search_batch<Layout, false>;
}

SearchKernel kernel_of(const GsofaKernel& kernel, bool profiled) {
  if (kernel.layout == GsofaLayout::merged) return kernel_of<MergedLayout>(profiled);
  return kernel.fill_first ? kernel_of<PaperLayout<true>>(profiled)
                           : kernel_of<PaperLayout<false>>(profiled);
}

Offset search_blocks(DeviceSession& session, SearchKernel kernel) {
  int per_multiprocessor = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_multiprocessor, reinterpret_cast<const void*>(kernel), block_threads, 0));
  return Offset{per_multiprocessor} * session.sm_count();
}

}  // namespace

void launch_gsofa_search(DeviceSession& session, const GsofaKernel& kernel, const GsofaTask& task) {
  const SearchKernel search = kernel_of(kernel, task.sources != nullptr);
  launch_cooperative(session, {search_blocks(session, search), block_threads}, search, task);
}

Offset gsofa_resident_warps(DeviceSession& session) {
  return search_blocks(session, kernel_of(GsofaKernel{}, false)) * block_warps;
}

}  // namespace lufact::gpu
