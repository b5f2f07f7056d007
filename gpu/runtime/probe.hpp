// SPDX-License-Identifier: BSD-3-Clause
// The session as the measurement sees it: marks are events on its stream, ranges are NVTX ranges.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "core/measure/device_probe.hpp"

namespace lufact {

class DeviceSession;

namespace gpu {

// `session` must outlive the probe, which it owns.
class SessionProbe final : public DeviceProbe {
 public:
  explicit SessionProbe(DeviceSession& session) : session_(session) {}
  ~SessionProbe() override;
  SessionProbe(const SessionProbe&) = delete;
  SessionProbe& operator=(const SessionProbe&) = delete;

  void synchronize() override;
  Mark mark() override;
  double seconds_between(Mark begin, Mark end) override;
  void release_marks() override { used_ = 0; }
  TransferCounters counters() const override;
  void reset_interval_peak() override;
  std::uint64_t interval_peak_bytes() const override;
  void range_push(std::string_view name) override;
  void range_pop() override;

 private:
  DeviceSession& session_;
  std::vector<cudaEvent_t> events_;  // a pool: making one takes longer than recording it
  std::size_t used_ = 0;
};

}  // namespace gpu
}  // namespace lufact
