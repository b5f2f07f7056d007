// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "gpu/components/carver.hpp"
#include "gpu/components/grid_scan.cuh"
#include "gpu/components/radix_sort.hpp"
#include "gpu/components/thread_group.cuh"
#include "gpu/ordering/graph_formation.hpp"

namespace lufact::gpu {
namespace {

using Sum = unsigned long long;

struct PatternOnDevice {
  Index n = 0;
  const Offset* row_ptr = nullptr;
  const Index* col_idx = nullptr;
};

// Sums over all entries.
struct SymmetryFacts {
  Sum difference = 0;  // x'Ay - y'Ax modulo 2^64, see nd::graph_of()
  Sum diagonals = 0;
};

__device__ Sum warp_sum(Sum value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(full_warp, value, distance);
  }
  return value;
}

__device__ Index row_of(const PatternOnDevice& a, Offset entry) {
  Index low = 0, high = a.n;  // row_ptr[low] <= entry < row_ptr[high]
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    if (a.row_ptr[middle] <= entry) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

__device__ bool has_diagonal(const PatternOnDevice& a, Index v) {
  Offset low = a.row_ptr[v], high = a.row_ptr[v + 1];
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    const Index u = a.col_idx[middle];
    if (u == v) return true;
    if (u < v) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

// Writes the lists of the rows without the diagonal, each where its row begins, and sums the
// figures that tell whether A is symmetric. One thread an entry, since one row may be as long as
// all others together. `facts` is zero before.
__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    drop_diagonal(const __grid_constant__ PatternOnDevice a, Offset nnz, Index* degree,
                  Index* adjacent, SymmetryFacts* facts) {
  const Grid grid;
  Sum difference = 0, diagonals = 0;
  grid.for_each(a.n, [&](Offset v) {
    const bool diagonal = has_diagonal(a, static_cast<Index>(v));
    degree[v] = static_cast<Index>(a.row_ptr[v + 1] - a.row_ptr[v]) - (diagonal ? 1 : 0);
    diagonals += diagonal ? 1 : 0;
  });
  grid.sync();
  grid.for_each(nnz, [&](Offset p) {
    const Index v = row_of(a, p), u = a.col_idx[p];
    const auto i = static_cast<std::uint64_t>(v), j = static_cast<std::uint64_t>(u);
    difference += hash64(1, i) * hash64(2, j) - hash64(2, i) * hash64(1, j);
    if (u == v) return;
    const bool behind_diagonal = u > v && degree[v] < a.row_ptr[v + 1] - a.row_ptr[v];
    adjacent[behind_diagonal ? p - 1 : p] = u;
  });
  __syncwarp();
  difference = warp_sum(difference);
  diagonals = warp_sum(diagonals);
  if (threadIdx.x % warp_size != 0) return;
  atomicAdd(&facts->difference, difference);
  atomicAdd(&facts->diagonals, diagonals);
}

// Each entry off the diagonal as an edge of both ends, the end that has the list in the high bits.
// Entries on the diagonal sort behind all edges.
__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    write_keys(const __grid_constant__ PatternOnDevice a, Offset nnz, int bits,
               std::uint64_t* keys) {
  const Grid grid;
  const auto key = [bits](Index v, Index u) {
    return static_cast<std::uint64_t>(v) << bits | static_cast<std::uint64_t>(u);
  };
  grid.for_each(nnz, [&](Offset p) {
    const Index v = row_of(a, p), u = a.col_idx[p];
    keys[2 * p] = u == v ? key(a.n, 0) : key(v, u);
    keys[2 * p + 1] = u == v ? key(a.n, 0) : key(u, v);
  });
}

struct ListArrays {
  Offset* begin = nullptr;
  Index *degree = nullptr, *adjacent = nullptr;
  Offset* partial = nullptr;  // one entry a block
  Offset* edges = nullptr;    // a single one
};

// Writes the lists from the sorted keys, each key once.
__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    write_lists(Index n, const std::uint64_t* keys, Offset count, int bits,
                const __grid_constant__ ListArrays arrays) {
  __shared__ GridScanStorage<Offset> storage;
  const Grid grid;
  const auto vertex = [&](Offset k) { return static_cast<Index>(keys[k] >> bits); };
  const auto is_edge = [&](Offset k) {
    return vertex(k) < n && (k == 0 || keys[k] != keys[k - 1]) ? Offset{1} : Offset{0};
  };
  grid.for_each(n, [&](Offset v) {
    arrays.begin[v] = 0;
    arrays.degree[v] = 0;
  });
  grid.sync();
  grid_scan(grid, storage, arrays.partial, count, Offset{0}, Plus{}, is_edge,
            [&](Offset k, Offset inclusive) {
              if (k == count - 1) *arrays.edges = inclusive;
              if (is_edge(k) == 0) return;
              const Index v = vertex(k);
              arrays.adjacent[inclusive - 1] =
                  static_cast<Index>(keys[k] & ((std::uint64_t{1} << bits) - 1));
              atomicAdd(&arrays.degree[v], 1);
              if (k == 0 || vertex(k - 1) != v) arrays.begin[v] = inclusive - 1;
            });
}

// The keys of all entries and their mirror images, ascending.
Buffer<std::uint64_t> sorted_keys(DeviceSession& session, const PatternOnDevice& a, Offset count,
                                  int bits) {
  Buffer<std::uint64_t> keys(session, MemoryRole::scratch, count, "the entries of A + A'");
  SortScratch sorting;
  sorting.bytes = sort_keys_bytes(session, count);
  std::uint64_t* unsorted = nullptr;
  const Buffer<std::byte> block = carve(session, "sorting entries of A + A'", [&](Carver& carver) {
    unsorted = carver.take<std::uint64_t>(count);
    sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
  });
  launch_grid(session, count / 2, write_keys, a, count / 2, bits, unsorted);
  sort_keys(session, sorting, unsorted, keys.data(), count, 2 * bits);
  return keys;
}

DeviceGraph merged_with_transpose(DeviceSession& session, const PatternOnDevice& a, Offset nnz) {
  const Offset count = 2 * nnz;
  const int bits = std::bit_width(static_cast<unsigned>(a.n));
  const Buffer<std::uint64_t> keys = sorted_keys(session, a, count, bits);
  constexpr MemoryRole role = MemoryRole::scratch;
  constexpr std::string_view edges_of_graph = "the edges of the graph of A + A'";
  DeviceGraph graph{.n = a.n,
                    .begin = {session, role, a.n, "the lists of the graph of A + A'"},
                    .degree = {session, role, a.n, "the degrees of the graph of A + A'"}};
  Buffer<Index> adjacent(session, role, count, edges_of_graph);
  Buffer<Offset> sums(session, role, most_grid_blocks(session) + 1, "counts of edges");
  launch_grid(session, count, write_lists, a.n, keys.data(), count, bits,
              ListArrays{graph.begin.data(), graph.degree.data(), adjacent.data(), sums.data() + 1,
                         sums.data()});
  graph.edges = read_value(session, sums.data());
  graph.adjacent = {session, role, graph.edges, edges_of_graph};
  LUFACT_CUDA(cudaMemcpyAsync(graph.adjacent.data(), adjacent.data(), graph.adjacent.bytes(),
                              cudaMemcpyDeviceToDevice, session.stream()));
  return graph;
}

}  // namespace

FormedGraph form_graph(DeviceSession& session, const PatternView& a, int threads) {
  constexpr MemoryRole role = MemoryRole::scratch;
  const Index n = a.n_rows;
  Buffer<Offset> row_ptr = upload_copy(session, role, a.row_ptr, "the rows of A");
  const Buffer<Index> col_idx = upload_copy(session, role, a.col_idx, "the entries of A");
  const PatternOnDevice pattern{n, row_ptr.data(), col_idx.data()};
  Buffer<SymmetryFacts> sums(session, role, 1, "sums over entries");
  sums.fill_bytes(0);
  FormedGraph graph;
  {
    Buffer<Index> degree(session, role, n, "the degrees of the graph of A + A'");
    Buffer<Index> adjacent(session, role, a.nnz(), "the edges of the graph of A + A'");
    adjacent.fill_bytes(0);  // lists keep the places of their diagonals, which are downloaded too
    launch_grid(session, a.nnz(), drop_diagonal, pattern, a.nnz(), degree.data(), adjacent.data(),
                sums.data());
    const auto facts = read_value(session, sums.data());
    if (facts.difference == 0) {
      graph.on_device = {.n = n,
                         .edges = a.nnz() - static_cast<Offset>(facts.diagonals),
                         .begin = std::move(row_ptr),
                         .degree = std::move(degree),
                         .adjacent = std::move(adjacent)};
      graph.on_host = nd::graph_of_symmetric(a, threads);
      return graph;
    }
  }
  graph.on_device = merged_with_transpose(session, pattern, a.nnz());
  graph.on_host = download(session, graph.on_device);
  return graph;
}

}  // namespace lufact::gpu
