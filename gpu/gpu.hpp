// SPDX-License-Identifier: BSD-3-Clause
// The face of the gpu module towards app/: plain C++, no CUDA header. Exactly one of the two
// implementations is linked: the CUDA one, or gpu/stub, whose stages answer "unsupported".
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/array/array_stage.hpp"
#include "core/batch/batch_arrays.hpp"
#include "core/dense/dense_arrays.hpp"
#include "core/dense/dense_input.hpp"
#include "core/distribution/exchange_option.hpp"
#include "core/measure/device_probe.hpp"
#include "core/pipeline/stage.hpp"
#include "core/pipeline/supernode_finder.hpp"
#include "core/pipeline/systems.hpp"
#include "core/pipeline/team_sharing.hpp"
#include "core/rates/peaks.hpp"
#include "gpu/batch/batch_stream.hpp"
#include "gpu/batch/tuning.hpp"
#include "gpu/batch/whole_batch.hpp"
#include "gpu/distribution/nccl_finding.hpp"
#include "gpu/runtime/driver_memory_watch.hpp"
#include "gpu/runtime/session_facts.hpp"

namespace lufact {

class PlacedSteps;

namespace gpu {

struct BuildFacts {
  std::string cuda_compiler, architectures;  // empty in the stub
  std::string runtime;                       // "13.0"; empty in the stub
};
BuildFacts build_facts();

// Creates the context and loads every kernel, so that no phase pays for lazy loading. Throws
// Error{unsupported, "no_device"} where there is none.
std::shared_ptr<DeviceSession> open_session(const SessionOptions& options);
// The session, which must outlive the team, and one for each of `others`, with the access of each
// to the memory of the others where the host's links have it. Throws as open_session().
std::shared_ptr<DeviceTeam> open_team(DeviceSession& first,
                                      const std::vector<SessionOptions>& others,
                                      TeamSharing sharing);
// Tells the team of the other ranks, to which it sends as `option` says. To be called by all ranks
// at once; `ranks` must outlive the team. NCCL is connected here, so that no phase pays for it.
// Throws Error{unsupported} where `option` asks for what cannot be.
void join_ranks(DeviceTeam& team, RankGroup& ranks, ExchangeOption option);
// Loads it into this process.
NcclFinding find_nccl();
// As for a session, of all but the first.
void return_memory(DeviceTeam& team);
DeviceProbe& probe(DeviceSession& session);
DeviceMemoryReport memory_report(const DeviceSession& session);
// Bytes of the budget that are free.
std::uint64_t free_bytes(const DeviceSession& session);
void reset_memory_peaks(DeviceSession& session);
// Gives what nothing holds any more back to the card, for other processes; not to be timed.
void return_memory(DeviceSession& session);
// The session's cudaStream_t, for libraries that put their work on it.
void* native_stream(DeviceSession& session);
// Throws Error{oom_device, "device_budget"} naming the total where `bytes` of resident memory
// beside what is held now cannot fit into the budget.
void require_resident(const DeviceSession& session, std::uint64_t bytes, const std::string& what);

std::unique_ptr<VectorBackend> make_vector_backend(DeviceSession& session);

// A DeviceDissection: the steps of `nd-gpu` where the context has a device that is quicker with
// this pattern than the host's threads, and has the memory; else nullptr. The context outlives
// them.
std::unique_ptr<PlacedSteps> dissection_steps(const CsrPattern& pa, StageContext& context);

// The arrays of a group of small matrices in the memory of the device; problem.count is that of the
// group. Throws Error{oom_device, "device_budget"} that names the need and `--data pinned` where
// they do not fit.
std::unique_ptr<BatchArrays> make_batch_arrays(DeviceSession& session, const BatchGroup& group,
                                               const ArrayProblem& problem);
// The arrays of one large matrix in the memory of the device; they are made and judged on the host
// by `threads` threads. Throws Error{oom_device, "device_budget"} that names the need.
std::unique_ptr<DenseArrays> make_dense_arrays(DeviceSession& session, const ArrayProblem& problem,
                                               const DenseMatrixSource& source, int threads);
// For arrays of `problem` in host memory, page-locked or not, with the budget that is free now.
// Throws Error{oom_device, "chunk_memory"} where not even a small chunk fits.
std::unique_ptr<BatchStream> make_batch_stream(DeviceSession& session, const ArrayProblem& problem,
                                               bool page_locked);

// What the card of the session can do at most, measured in about a second.
DevicePeaks measure_peaks(DeviceSession& session);

// Every catalogue entry of this module, in the order of `lufact list`.
std::vector<std::unique_ptr<ScalingStage>> scaling_stages();
std::vector<std::unique_ptr<OrderingStage>> ordering_stages();
std::vector<std::unique_ptr<SymbolicStage>> symbolic_stages();
std::vector<std::unique_ptr<LevelizeStage>> levelize_stages();
std::vector<std::unique_ptr<NumericStage>> numeric_stages();
std::vector<std::unique_ptr<Transfer>> transfers();
std::vector<std::unique_ptr<SupernodeFinder>> supernode_finders();
std::vector<std::unique_ptr<SystemsStage>> systems_stages();
// Those on dense matrices.
std::vector<std::unique_ptr<ArrayStage>> array_stages();

}  // namespace gpu
}  // namespace lufact
