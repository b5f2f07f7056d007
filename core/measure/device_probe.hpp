// SPDX-License-Identifier: BSD-3-Clause
// What the measurement needs of a device, without naming CUDA.
#pragma once
#include <cstdint>
#include <string_view>

namespace lufact {

struct TransferCounters {
  std::uint64_t bytes_h2d = 0, bytes_d2h = 0;
  std::uint64_t control_reads = 0;  // device-to-host reads of at most 64 bytes
};

class DeviceProbe {
 public:
  using Mark = int;
  virtual ~DeviceProbe() = default;
  virtual void synchronize() = 0;
  // Puts a mark (an event) on the device's stream; marks of finished phases may be reused.
  virtual Mark mark() = 0;
  // Seconds between two marks; both must have been reached.
  virtual double seconds_between(Mark begin, Mark end) = 0;
  virtual void release_marks() = 0;
  virtual TransferCounters counters() const = 0;
  // Starts a new peak interval at the bytes now in use; nested intervals are the caller's business.
  virtual void reset_interval_peak() = 0;
  virtual std::uint64_t interval_peak_bytes() const = 0;
  virtual void range_push(std::string_view name) = 0;  // NVTX
  virtual void range_pop() = 0;
};

}  // namespace lufact
