// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/launch.cuh"
#include "gpu/solve/row_labels.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// The entry of a thread in a block of vectors. Blocks of threads do not cross columns.
struct Place {
  Offset column = 0;  // where it begins
  Index row = 0;
  bool inside = false;
};

__device__ Place own_place(Index rows) {
  const unsigned per_column = static_cast<unsigned>(ceil_div(rows, threads));
  const unsigned column = blockIdx.x / per_column;
  const Offset row = (blockIdx.x - column * per_column) * Offset{threads} + threadIdx.x;
  return {Offset{column} * rows, static_cast<Index>(row), row < rows};
}

__global__ void invert_kernel(const Index* labels, Index rows, Index* place) {
  const Place own = own_place(rows);
  if (own.inside) place[labels[own.row]] = own.row;
}

// Neighbouring threads access neighbouring entries of the host's order, which may be host memory.
// No kernel has written the entries that are gathered.
__global__ void gather_kernel(const double* from, const Index* place, Index rows, double* to) {
  let_next_start();
  const Place own = own_place(rows);
  const double value = own.inside ? from[own.column + own.row] : 0;
  wait_for_previous();
  if (own.inside) to[own.column + place[own.row]] = value;
}
__global__ void scatter_kernel(const double* from, const Index* place, Index rows, double* to) {
  const Place own = own_place(rows);
  wait_for_previous();
  if (own.inside) to[own.column + own.row] = from[own.column + place[own.row]];
}

LaunchShape thread_per_entry(Index rows, Index columns) {
  return {ceil_div(rows, threads) * columns, threads};
}

}  // namespace

DeviceRowLabels::DeviceRowLabels(DeviceSession& session, std::span<const Index> labels)
    : place_(session, MemoryRole::resident, static_cast<Offset>(labels.size()),
             "the places of rows") {
  const auto given = upload_copy(session, MemoryRole::scratch, labels, "the labels of rows");
  launch(session, thread_per_entry(rows(), 1), invert_kernel, given.data(), rows(), place_.data());
}

void DeviceRowLabels::gather(const double* from, Index columns, double* to) const {
  launch_early(place_.session(), thread_per_entry(rows(), columns), gather_kernel, from,
               place_.data(), rows(), to);
}

void DeviceRowLabels::scatter(const double* from, Index columns, double* to) const {
  launch_early(place_.session(), thread_per_entry(rows(), columns), scatter_kernel, from,
               place_.data(), rows(), to);
}

}  // namespace lufact::gpu
