// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/streams.hpp"

#include <algorithm>
#include <vector>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu::blocked {
namespace {

class RecordedGraph {
 public:
  explicit RecordedGraph(cudaGraph_t graph) : graph_(graph) {}
  ~RecordedGraph() { LUFACT_CUDA_NOEXCEPT(cudaGraphDestroy(graph_)); }
  RecordedGraph(const RecordedGraph&) = delete;
  RecordedGraph& operator=(const RecordedGraph&) = delete;

 private:
  cudaGraph_t graph_;
};

Offset kernels_of(cudaGraph_t graph) {
  std::size_t count = 0;
  LUFACT_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  LUFACT_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  return std::ranges::count_if(nodes, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    LUFACT_CUDA(cudaGraphNodeGetType(node, &type));
    return type == cudaGraphNodeTypeKernel;
  });
}

}  // namespace

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
  const RecordedGraph owner(recorded);
  kernels_ = kernels_of(recorded);
  cudaGraphExec_t graph = nullptr;
  // Without the flag, all nodes have the priority of the stream that the graph is launched on.
  LUFACT_CUDA(cudaGraphInstantiate(&graph, recorded, cudaGraphInstantiateFlagUseNodePriority));
  if (graph_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaGraphExecDestroy(graph_));
  graph_ = graph;
}
void RecordedWork::launch(cudaStream_t stream) const {
  LUFACT_CUDA(cudaGraphLaunch(graph_, stream));
}

}  // namespace lufact::gpu::blocked
