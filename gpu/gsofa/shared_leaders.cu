// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_visit.hpp"
#include "gpu/gsofa/lead_chunk.cuh"
#include "gpu/gsofa/shared_leaders.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 128;

// Records of lead_chunk(): the row at a position is in a slot of a device.
struct SharedRecords {
  SharedBatch batch;

  __device__ const SharedPart& part(Offset position) const {
    return batch.parts[(position - batch.first) % batch.devices];
  }
  __device__ Offset slot(Offset position) const { return (position - batch.first) / batch.devices; }
  __device__ Index upper(Offset position) const { return part(position).upper[slot(position)]; }
  __device__ bool has(Offset position, Index row, Index column) const {
    const MarkWord* const fill = part(position).fill_end - (slot(position) + 1) * batch.fill_stride;
    return fill[column] == fill_tag(row);
  }
};

__global__ void count_upper(const __grid_constant__ GsofaTask task, const Offset* diagonal,
                            Index* upper) {
  const Offset slot = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (slot >= task.slots.count) return;
  const Offset place = task.place + slot;
  upper[slot] = static_cast<Index>(task.row_ptr[place + 1] - diagonal[place]);
}

// A block for each chunk of the device.
__global__ void __launch_bounds__(block_threads)
    lead_shared(SharedRecords records, GsofaRows node_rows, Index device, Offset* starts) {
  const Offset chunk = device + static_cast<Offset>(blockIdx.x) * records.batch.devices;
  lead_chunk<block_threads>(node_rows, records, records.batch.first + chunk * node_rows.chunk_size,
                            starts);
}

}  // namespace

void launch_shared_counts(DeviceSession& session, const GsofaTask& task, const Offset* diagonal,
                          Index* upper) {
  launch(session, {ceil_div(task.slots.count, block_threads), block_threads}, count_upper, task,
         diagonal, upper);
}

void launch_shared_leaders(DeviceSession& session, const SharedBatch& batch,
                           const GsofaRows& node_rows, Offset chunks, Index device,
                           Offset* starts) {
  const Offset own = chunks > device ? ceil_div(chunks - device, Offset{batch.devices}) : 0;
  launch(session, {own, block_threads}, lead_shared, SharedRecords{batch}, node_rows, device,
         starts);
}

}  // namespace lufact::gpu
