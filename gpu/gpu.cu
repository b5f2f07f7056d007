// SPDX-License-Identifier: BSD-3-Clause
// The module's interface gpu/gpu.hpp in a build with CUDA.
#include <unistd.h>

#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "gpu/batch/device_batch_arrays.hpp"
#include "gpu/batch/streamed_batch.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/distribution/nccl_library.hpp"
#include "gpu/distribution/open_exchange.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/gpu.hpp"
#include "gpu/gsofa/supernode_finder.hpp"
#include "gpu/matrix/transfers.hpp"
#include "gpu/ordering/dissection_ordering.hpp"
#include "gpu/peaks/device_peaks.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/device_team.hpp"
#include "gpu/runtime/driver_memory.hpp"
#include "gpu/runtime/launch.cuh"
#include "gpu/runtime/page_fault_counters.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/systems/device_systems.hpp"

namespace lufact::gpu {
namespace {

__global__ void first_kernel() {}

// Checks that kernels were compiled for this card; else the first kernel of a phase would fail.
void require_kernel_image(DeviceSession& session) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, first_kernel);
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorUnsupportedPtxVersion) {
    cudaGetLastError();
    throw Error(Outcome::unsupported, "no_kernel_image",
                "lufact was compiled for the CUDA architectures " LUFACT_CUDA_ARCHITECTURES
                ", which this card or its driver cannot run; configure again with "
                "-DCMAKE_CUDA_ARCHITECTURES=native");
  }
  LUFACT_CUDA(status);
  launch(session, {1, warp_size}, first_kernel);
  session.synchronize();
}

}  // namespace

BuildFacts build_facts() {
  const std::string runtime =
      std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  return {LUFACT_CUDA_COMPILER, LUFACT_CUDA_ARCHITECTURES, runtime};
}

std::shared_ptr<DeviceSession> open_session(const SessionOptions& options) {
  auto session = std::make_shared<DeviceSession>(options);
  require_kernel_image(*session);
  return session;
}

std::shared_ptr<DeviceTeam> open_team(DeviceSession& first,
                                      const std::vector<SessionOptions>& others,
                                      TeamSharing sharing) {
  auto team =
      std::make_shared<DeviceTeam>(first, others, DeviceTeam::Access::peer_where_possible, sharing);
  team->run([&](Index member) { require_kernel_image(team->session(member)); });
  return team;
}

void join_ranks(DeviceTeam& team, RankGroup& ranks, ExchangeOption option) {
  team.join(open_exchange(team.session(0), ranks, option));
}

NcclFinding find_nccl() {
  return nccl_finding(nccl_library());
}

void return_memory(DeviceTeam& team) {
  for (Index member = 1; member < team.size(); ++member) team.session(member).return_memory();
}

DeviceProbe& probe(DeviceSession& session) {
  return session.probe();
}

DeviceMemoryReport memory_report(const DeviceSession& session) {
  return session.ledger().report();
}

std::uint64_t free_bytes(const DeviceSession& session) {
  return session.ledger().available();
}

void reset_memory_peaks(DeviceSession& session) {
  session.ledger().reset_peaks();
}

void return_memory(DeviceSession& session) {
  session.return_memory();
}

void* native_stream(DeviceSession& session) {
  return session.stream();
}

void require_resident(const DeviceSession& session, std::uint64_t bytes, const std::string& what) {
  session.ledger().require_resident(bytes, what);
}

std::unique_ptr<PageFaultCounters> count_page_faults() {
  return start_page_fault_counters();
}

// The waits are for what this process and its libraries, which share one context, have begun.
std::unique_ptr<DriverMemoryWatch> watch_driver_memory(int device,
                                                       std::function<std::string()> phase) {
  const auto idle = [device] {
    LUFACT_CUDA(cudaSetDevice(device));
    LUFACT_CUDA(cudaDeviceSynchronize());
  };
  idle();  // makes the context for a library that has none yet
  return watch_card_memory(open_card_memory(device_uuid(device)), static_cast<unsigned>(getpid()),
                           idle, std::move(phase));
}

std::unique_ptr<VectorBackend> make_vector_backend(DeviceSession& session) {
  return make_device_vector_backend(session);
}

std::unique_ptr<PlacedSteps> dissection_steps(const CsrPattern& pa, StageContext& context) {
  return make_quicker_steps(pa, context);
}

std::unique_ptr<BatchArrays> make_batch_arrays(DeviceSession& session, const BatchGroup& group,
                                               const ArrayProblem& problem) {
  return std::make_unique<DeviceBatchArrays>(session, group, problem);
}
std::unique_ptr<DenseArrays> make_dense_arrays(DeviceSession& session, const ArrayProblem& problem,
                                               const DenseMatrixSource& source, int threads) {
  return std::make_unique<DeviceDenseArrays>(session, problem, source, threads);
}
std::unique_ptr<BatchStream> make_batch_stream(DeviceSession& session, const ArrayProblem& problem,
                                               bool page_locked) {
  return std::make_unique<StreamedBatch>(session, problem, page_locked);
}

DevicePeaks measure_peaks(DeviceSession& session) {
  return measure_device_peaks(session, {});
}

std::vector<std::unique_ptr<Transfer>> transfers() {
  std::vector<std::unique_ptr<Transfer>> all = make_transfers();
  for (auto& transfer : make_front_transfers()) all.push_back(std::move(transfer));
  return all;
}

std::vector<std::unique_ptr<SupernodeFinder>> supernode_finders() {
  std::vector<std::unique_ptr<SupernodeFinder>> all;
  all.push_back(make_supernode_finder());
  return all;
}

std::vector<std::unique_ptr<SystemsStage>> systems_stages() {
  std::vector<std::unique_ptr<SystemsStage>> all;
  all.push_back(make_device_systems());
  return all;
}

}  // namespace lufact::gpu
