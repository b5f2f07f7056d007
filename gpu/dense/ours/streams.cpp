// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/streams.hpp"

#include "gpu/runtime/check.hpp"

namespace lufact::gpu::blocked {

UrgentStream::UrgentStream() {
  int least = 0, greatest = 0;
  LUFACT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  LUFACT_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
}
UrgentStream::~UrgentStream() {
  LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream_));
}

Milestone::Milestone() {
  LUFACT_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
}
Milestone::~Milestone() {
  LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event_));
}
void Milestone::reach(cudaStream_t by) {
  LUFACT_CUDA(cudaEventRecord(event_, by));
}
void Milestone::wait(cudaStream_t waiting) const {
  LUFACT_CUDA(cudaStreamWaitEvent(waiting, event_, 0));
}

RecordedWork::~RecordedWork() {
  if (graph_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaGraphExecDestroy(graph_));
}
void RecordedWork::begin(cudaStream_t stream) {
  LUFACT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
}
void RecordedWork::abandon(cudaStream_t stream) noexcept {
  cudaGraph_t recorded = nullptr;
  cudaStreamEndCapture(stream, &recorded);
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  cudaGetLastError();
}
void RecordedWork::end(cudaStream_t stream) {
  cudaGraph_t recorded = nullptr;
  LUFACT_CUDA(cudaStreamEndCapture(stream, &recorded));
  cudaGraphExec_t graph = nullptr;
  // Without the flag, all nodes have the priority of the stream that the graph is launched on.
  const cudaError_t status =
      cudaGraphInstantiate(&graph, recorded, cudaGraphInstantiateFlagUseNodePriority);
  LUFACT_CUDA_NOEXCEPT(cudaGraphDestroy(recorded));
  LUFACT_CUDA(status);
  if (graph_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaGraphExecDestroy(graph_));
  graph_ = graph;
}
void RecordedWork::launch(cudaStream_t stream) const {
  LUFACT_CUDA(cudaGraphLaunch(graph_, stream));
}

}  // namespace lufact::gpu::blocked
