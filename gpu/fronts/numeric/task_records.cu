// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/numeric/task_records.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

__global__ void records_kernel(const FrontTask* task, const FrontShape* shape, Offset tasks,
                               TaskRecord* records) {
  const Offset t = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (t < tasks) records[t] = {task[t], shape[task[t].front]};
}

// The row of B whose entries `position` is among.
__device__ Index row_of(const PatternRef& rows, Offset position) {
  Index low = 0, high = rows.n;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    if (rows.row_ptr[middle] <= position) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// A thread per entry, so that long rows take no longer than short ones.
__global__ void scales_kernel(PatternRef rows, const double* row_scale, const double* col_scale,
                              const Index* source, Offset entries, double* scale) {
  const Offset e = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (e >= entries) return;
  const Index position = source[e];
  scale[e] = row_scale[row_of(rows, position)] * col_scale[rows.col_idx[position]];
}

}  // namespace

void make_records(DeviceSession& session, const DeviceOrderedTasks& tasks,
                  const DeviceTaskGraph& graph, TaskRecord* records) {
  const Offset count = tasks.task.size();
  launch(session, {ceil_div(count, threads), threads}, records_kernel, tasks.task.data(),
         graph.shape.data(), count, records);
}

void make_entry_scales(DeviceSession& session, const DevicePermutedMatrix& matrix,
                       const DeviceTaskGraph& graph, double* scale) {
  const Offset entries = graph.entry_source.size();
  launch(session, {ceil_div(entries, threads), threads}, scales_kernel, matrix.pattern(),
         matrix.row_scale.data(), matrix.col_scale.data(), graph.entry_source.data(), entries,
         scale);
}

}  // namespace lufact::gpu
