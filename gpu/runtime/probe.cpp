// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/probe.hpp"

#include <string>

#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define LUFACT_HAVE_NVTX 1
#else
#define LUFACT_HAVE_NVTX 0
#endif

namespace lufact::gpu {

SessionProbe::~SessionProbe() {
  for (const cudaEvent_t event : events_) LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event));
}

void SessionProbe::synchronize() {
  session_.synchronize();
}

DeviceProbe::Mark SessionProbe::mark() {
  if (used_ == events_.size()) {
    events_.reserve(events_.size() + 1);
    cudaEvent_t event = nullptr;
    LUFACT_CUDA(cudaEventCreate(&event));
    events_.push_back(event);
  }
  LUFACT_CUDA(cudaEventRecord(events_[used_], session_.stream()));
  return static_cast<Mark>(used_++);
}

double SessionProbe::seconds_between(Mark begin, Mark end) {
  float milliseconds = 0;
  LUFACT_CUDA(cudaEventElapsedTime(&milliseconds, events_.at(static_cast<std::size_t>(begin)),
                                   events_.at(static_cast<std::size_t>(end))));
  return static_cast<double>(milliseconds) * 1e-3;
}

TransferCounters SessionProbe::counters() const {
  return session_.counters();
}

void SessionProbe::reset_interval_peak() {
  session_.ledger().reset_interval_peak();
}

std::uint64_t SessionProbe::interval_peak_bytes() const {
  return session_.ledger().interval_peak();
}

void SessionProbe::range_push([[maybe_unused]] std::string_view name) {
#if LUFACT_HAVE_NVTX
  nvtxRangePushA(std::string(name).c_str());
#endif
}

void SessionProbe::range_pop() {
#if LUFACT_HAVE_NVTX
  nvtxRangePop();
#endif
}

}  // namespace lufact::gpu
