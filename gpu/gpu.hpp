// SPDX-License-Identifier: BSD-3-Clause
// The face of the gpu module towards app/: plain C++, no CUDA header. Exactly one of the two
// implementations is linked: the CUDA one, or gpu/stub, whose stages answer "unsupported".
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/machine.hpp"
#include "core/measure/device_probe.hpp"
#include "core/order/dissection_ordering.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// Peaks are since the session was opened or reset_memory_peaks() was last called.
struct DeviceMemoryReport {
  std::optional<std::uint64_t> budget_bytes;  // --device-memory-limit, or the free bytes at opening
  std::uint64_t in_use_bytes = 0;
  std::uint64_t peak_bytes = 0;           // device allocations of every role
  std::uint64_t resident_peak_bytes = 0;  // role resident
  std::uint64_t scratch_peak_bytes = 0;   // role scratch
  std::uint64_t managed_peak_bytes = 0;
  std::uint64_t pinned_peak_bytes = 0;
};

namespace gpu {

struct BuildFacts {
  std::string cuda_compiler, architectures;  // empty in the stub
  std::string runtime;                       // "13.0"; empty in the stub
};
BuildFacts build_facts();

// Facts of device `index`, or empty with the reason and what to do. Creates no context beyond what
// the query needs; safe without a driver.
std::optional<DeviceFacts> query_device(int index, std::string& absent_reason);

struct SessionOptions {
  int device = 0;
  std::optional<std::uint64_t> memory_limit;  // none: what the card has free
};

// Creates the context and loads every kernel, so that no phase pays for lazy loading. Throws
// Error{unsupported, "no_device"} where there is none.
std::shared_ptr<DeviceSession> open_session(const SessionOptions& options);
DeviceProbe& probe(DeviceSession& session);
DeviceMemoryReport memory_report(const DeviceSession& session);
// Of the budget.
std::uint64_t free_bytes(const DeviceSession& session);
void reset_memory_peaks(DeviceSession& session);
// Gives what nothing holds any more back to the card, for other processes; not to be timed.
void return_memory(DeviceSession& session);
// Throws Error{oom_device, "device_budget"} naming the total where `bytes` of resident memory
// beside what is held now cannot fit into the budget.
void require_resident(const DeviceSession& session, std::uint64_t bytes, const std::string& what);
// The driver's counters of unified-memory page faults and migrations, from its making on. Where the
// driver or the library refuses, read() gives the reason.
class PageFaultCounters {
 public:
  virtual ~PageFaultCounters() = default;
  virtual void restart() = 0;  // forget what was counted
  virtual UnifiedMemoryRecord read() = 0;
};
// To be called before open_session().
std::unique_ptr<PageFaultCounters> count_page_faults();

// Page-locked memory on the host for whoever passes arrays to the device and back, be it through a
// session or another library of this process; of one byte or more, until its last owner goes. Null
// where the system gives none. Takes up to a millisecond per MB: not to be timed.
std::shared_ptr<void> page_locked_memory(int device, std::size_t bytes);

std::unique_ptr<VectorBackend> make_vector_backend(DeviceSession& session);

// A DeviceDissection: the steps of `nd-gpu` where the context has a device that is quicker with
// this pattern than the host's threads, and has the memory; else nullptr. The context outlives
// them.
std::unique_ptr<PlacedSteps> dissection_steps(const CsrPattern& pa, StageContext& context);

// Every catalogue entry of this module, in the order of `lufact list`.
std::vector<std::unique_ptr<OrderingStage>> ordering_stages();
std::vector<std::unique_ptr<SymbolicStage>> symbolic_stages();
std::vector<std::unique_ptr<LevelizeStage>> levelize_stages();
std::vector<std::unique_ptr<NumericStage>> numeric_stages();
std::vector<std::unique_ptr<Transfer>> transfers();

}  // namespace gpu
}  // namespace lufact
