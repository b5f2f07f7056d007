// SPDX-License-Identifier: BSD-3-Clause
#include "core/systems/lane_front.hpp"
#include "gpu/runtime/launch.cuh"
#include "gpu/systems/lane_values.hpp"

namespace lufact::gpu {
namespace {

constexpr int side = 32;  // items and systems of a block
constexpr int rows_of_threads = 8;
constexpr int threads = side * rows_of_threads;
static_assert(side == lanes);

// As in the tiles' solves: rounded on its own.
__device__ double scaled(double value, const double* scale, Index label) {
  return __dmul_rn(value, scale == nullptr ? 1.0 : scale[label]);
}

// What interleave_kernel moves: value(system, item) goes to entry place(item) of `entries` of the
// system's group.
template <class T>
struct EntryMove {
  EntriesOfSystems<T> from;

  __device__ Index items() const { return from.entry.count; }
  __device__ Offset entries() const { return from.entry.count; }
  __device__ Index place(Index item) const { return item; }
  __device__ T value(Index system, Index item) const {
    const Index e = from.entry.index[item];
    return static_cast<T>(from.values[system * from.stride + from.source[e]] * from.scale[e]);
  }
};
template <class T>
struct RightHandSideMove {
  VectorsOfSystems from;

  __device__ Index items() const { return from.position.count; }
  __device__ Offset entries() const { return from.n; }
  __device__ Index place(Index item) const { return from.position.index[item]; }
  __device__ T value(Index system, Index item) const {
    const Index label = from.label[place(item)];
    return static_cast<T>(
        scaled(from.vectors.b[Offset{system} * from.n + label], from.vectors.row_scale, label));
  }
};
template <class T>
struct SolutionMove {
  IndexList position;
  const T* from;
  Index n;

  __device__ Index items() const { return position.count; }
  __device__ Offset entries() const { return n; }
  __device__ Index place(Index item) const { return position.index[item]; }
  __device__ T value(Index system, Index item) const {
    return from[Offset{system} * n + place(item)];
  }
};

// The items and the group of a block, and a thread's place among 32 x 32.
struct SquareOfBlock {
  Index first_item, group;
  int column, row;

  __device__ explicit SquareOfBlock(Index items) {
    const Index squares = (items + side - 1) / side;
    group = static_cast<Index>(blockIdx.x) / squares;
    first_item = (static_cast<Index>(blockIdx.x) - group * squares) * side;
    column = static_cast<int>(threadIdx.x % unsigned{side});
    row = static_cast<int>(threadIdx.x / unsigned{side});
  }
};

// Lanes beyond the last system get what that has.
template <class T, class Move>
__global__ void interleave_kernel(Move move, Index systems, T* to) {
  __shared__ T square[side][side + 1];  // by system
  let_next_start();
  wait_for_previous();
  const SquareOfBlock own(move.items());
  for (int k = own.row; k < side; k += rows_of_threads) {
    const Index item = own.first_item + own.column;
    const Index system = min(own.group * lanes + k, systems - 1);
    if (item < move.items()) square[k][own.column] = move.value(system, item);
  }
  __syncthreads();
  for (int k = own.row; k < side; k += rows_of_threads) {
    const Index item = own.first_item + k;
    if (item >= move.items()) continue;
    const Offset entry = own.group * move.entries() + move.place(item);
    to[entry * lanes + own.column] = square[own.column][k];
  }
}

template <class T>
__global__ void write_kernel(const T* from, Index systems, VectorsOfSystems to) {
  __shared__ T square[side][side + 1];  // by item
  wait_for_previous();
  const SquareOfBlock own(to.position.count);
  for (int k = own.row; k < side; k += rows_of_threads) {
    const Index item = own.first_item + k;
    if (item >= to.position.count) continue;
    const Offset entry = Offset{own.group} * to.n + to.position.index[item];
    square[k][own.column] = from[entry * lanes + own.column];
  }
  __syncthreads();
  const Index item = own.first_item + own.column;
  if (item >= to.position.count) return;
  const Index label = to.label[to.position.index[item]];
  for (int k = own.row; k < side; k += rows_of_threads) {
    const Index system = own.group * lanes + k;
    if (system >= systems) continue;
    to.vectors.x[Offset{system} * to.n + label] =
        scaled(static_cast<double>(square[own.column][k]), to.vectors.col_scale, label);
  }
}

LaunchShape squares(Index items, Index systems) {
  return {ceil_div(items, side) * ceil_div(systems, lanes), threads};
}

}  // namespace

template <class T>
void interleave_entries(DeviceSession& session, const EntriesOfSystems<T>& from, Index systems,
                        T* to) {
  launch(session, squares(from.entry.count, systems), interleave_kernel<T, EntryMove<T>>,
         EntryMove<T>{from}, systems, to);
}
template <class T>
void interleave_right_hand_sides(DeviceSession& session, const VectorsOfSystems& from,
                                 Index systems, T* to) {
  launch(session, squares(from.position.count, systems), interleave_kernel<T, RightHandSideMove<T>>,
         RightHandSideMove<T>{from}, systems, to);
}
template <class T>
void interleave_solutions(DeviceSession& session, const IndexList& position, Index n, const T* from,
                          Index systems, T* to) {
  launch_early(session, squares(position.count, systems), interleave_kernel<T, SolutionMove<T>>,
               SolutionMove<T>{position, from, n}, systems, to);
}
template <class T>
void write_solutions(DeviceSession& session, const T* from, Index systems,
                     const VectorsOfSystems& to) {
  launch_early(session, squares(to.position.count, systems), write_kernel<T>, from, systems, to);
}

template void interleave_entries(DeviceSession&, const EntriesOfSystems<float>&, Index, float*);
template void interleave_entries(DeviceSession&, const EntriesOfSystems<double>&, Index, double*);
template void interleave_right_hand_sides(DeviceSession&, const VectorsOfSystems&, Index, float*);
template void interleave_right_hand_sides(DeviceSession&, const VectorsOfSystems&, Index, double*);
template void interleave_solutions(DeviceSession&, const IndexList&, Index, const float*, Index,
                                   float*);
template void interleave_solutions(DeviceSession&, const IndexList&, Index, const double*, Index,
                                   double*);
template void write_solutions(DeviceSession&, const float*, Index, const VectorsOfSystems&);
template void write_solutions(DeviceSession&, const double*, Index, const VectorsOfSystems&);

}  // namespace lufact::gpu
