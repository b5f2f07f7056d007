// SPDX-License-Identifier: BSD-3-Clause
// Vertices shared out among the threads of a grid, and walks along their lists. Most lists have few
// edges and get one thread. A long list gets a warp, whose lanes load at the same time; values are
// added in the order of the list, so that sums of floats are the same.
#pragma once
#include "gpu/components/grid.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/ordering/device_graph.hpp"

namespace lufact::gpu {

__device__ inline Index weight_of(const GraphRef& graph, Index v) {
  return graph.weight == nullptr ? 1 : graph.weight[v];
}
__device__ inline Index edge_weight_of(const GraphRef& graph, Offset p) {
  return graph.edge_weight == nullptr ? 1 : graph.edge_weight[p];
}

// A value that a walk passes from the lane that loads it to all lanes.
struct Neighbour {
  Index id;  // of the vertex, or of its part
  float value;
};

// The edges [begin, end) of a vertex, one thread for all.
class OneThread {
 public:
  __device__ bool leads() const { return true; }

  // take(neighbour) for each p for which load(p, neighbour) is true, in order, while take is true.
  template <class Load, class Take>
  __device__ void in_order(Offset begin, Offset end, const Load& load, const Take& take) const {
    for (Offset p = begin; p < end; ++p) {
      Neighbour neighbour{};
      if (load(p, neighbour) && !take(neighbour)) return;
    }
  }
  // Whether any p fulfills the condition, which has no effect.
  template <class Condition>
  __device__ bool any(Offset begin, Offset end, const Condition& condition) const {
    for (Offset p = begin; p < end; ++p) {
      if (condition(p)) return true;
    }
    return false;
  }
  template <class Condition>
  __device__ Index count(Offset begin, Offset end, const Condition& condition) const {
    Index count = 0;
    for (Offset p = begin; p < end; ++p) count += condition(p) ? 1 : 0;
    return count;
  }
  // body(p) for each p, in any order.
  template <class Body>
  __device__ void for_each(Offset begin, Offset end, const Body& body) const {
    for (Offset p = begin; p < end; ++p) body(p);
  }
};

// The same by a warp: all lanes call with the same arguments and get the same results, and every
// lane calls take().
class OneWarp {
 public:
  __device__ bool leads() const { return lane() == 0; }

  template <class Load, class Take>
  __device__ void in_order(Offset begin, Offset end, const Load& load, const Take& take) const {
    for (Offset first = begin; first < end; first += warp_size) {
      const Offset p = first + lane();
      Neighbour mine{};
      const bool counts = p < end && load(p, mine);
      for (unsigned left = __ballot_sync(full_warp, counts); left != 0; left &= left - 1) {
        const int source = __ffs(static_cast<int>(left)) - 1;
        const Neighbour heard{__shfl_sync(full_warp, mine.id, source),
                              __shfl_sync(full_warp, mine.value, source)};
        if (!take(heard)) return;
      }
    }
  }
  template <class Condition>
  __device__ bool any(Offset begin, Offset end, const Condition& condition) const {
    for (Offset first = begin; first < end; first += warp_size) {
      const Offset p = first + lane();
      if (__ballot_sync(full_warp, p < end && condition(p)) != 0) return true;
    }
    return false;
  }
  template <class Condition>
  __device__ Index count(Offset begin, Offset end, const Condition& condition) const {
    Index count = 0;
    for (Offset first = begin; first < end; first += warp_size) {
      const Offset p = first + lane();
      count += __popc(__ballot_sync(full_warp, p < end && condition(p)));
    }
    return count;
  }
  template <class Body>
  __device__ void for_each(Offset begin, Offset end, const Body& body) const {
    for (Offset p = begin + lane(); p < end; p += warp_size) body(p);
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
};

// All vertices of a graph, spread over the warps as evenly as their number allows.
class VertexGroups {
 public:
  static constexpr Index skipped = -1;

  __device__ VertexGroups(const Grid& grid, Index n)
      : n_(n),
        warp_(grid.rank() / warp_size),
        warps_(grid.size() / warp_size),
        width_(static_cast<int>(min(ceil_div(n, warps_), Offset{warp_size}))) {}

  // body(group, v) for each vertex v for which length(v), the number of edges that the body will
  // walk, is not `skipped`. A vertex gets the same threads each time where the lengths are the
  // same.
  template <class Length, class Body>
  __device__ void for_each(const Length& length, const Body& body) const {
    // A warp walks a long list in the time in which one lane takes a few steps; but its other
    // vertices wait meanwhile.
    const Index longest_alone = 4 * width_;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (Offset first = warp_ * width_; first < n_; first += warps_ * width_) {
      const auto v = static_cast<Index>(first + lane);
      const Index edges = lane < width_ && first + lane < n_ ? length(v) : skipped;
      const bool is_long = edges > longest_alone;
      if (edges != skipped && !is_long) body(OneThread{}, v);
      __syncwarp();
      for (unsigned left = __ballot_sync(full_warp, is_long); left != 0; left &= left - 1) {
        body(OneWarp{}, static_cast<Index>(first + __ffs(static_cast<int>(left)) - 1));
        __syncwarp();
      }
    }
  }

 private:
  Offset n_, warp_, warps_;
  int width_;  // vertices that a warp takes at a time
};

// As many threads as vertices, and more where that spreads them over more warps.
template <class... Parameters>
void launch_over_vertices(DeviceSession& session, Index n, void (*kernel)(Parameters...),
                          std::type_identity_t<Parameters>... arguments) {
  launch_grid(session, Offset{n} * warp_size, kernel, arguments...);
}

}  // namespace lufact::gpu
