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

__global__ void gather_kernel(const double* from, const Index* labels, Index rows, double* to) {
  const Place place = own_place(rows);
  if (place.inside) to[place.column + place.row] = from[place.column + labels[place.row]];
}
__global__ void scatter_kernel(const double* from, const Index* labels, Index rows, double* to) {
  const Place place = own_place(rows);
  if (place.inside) to[place.column + labels[place.row]] = from[place.column + place.row];
}

LaunchShape thread_per_entry(Index rows, Index columns) {
  return {ceil_div(rows, threads) * columns, threads};
}

}  // namespace

DeviceRowLabels::DeviceRowLabels(DeviceSession& session, std::span<const Index> labels)
    : labels_(upload_copy(session, MemoryRole::resident, labels, "the labels of rows")) {}

void DeviceRowLabels::gather(const double* from, Index columns, double* to) const {
  launch(labels_.session(), thread_per_entry(rows(), columns), gather_kernel, from, labels_.data(),
         rows(), to);
}

void DeviceRowLabels::scatter(const double* from, Index columns, double* to) const {
  launch(labels_.session(), thread_per_entry(rows(), columns), scatter_kernel, from, labels_.data(),
         rows(), to);
}

}  // namespace lufact::gpu
