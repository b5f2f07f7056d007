// SPDX-License-Identifier: BSD-3-Clause
#include "app/array/device_part.hpp"

#include <string>

#include "app/workload/device_memory.hpp"
#include "core/base/error.hpp"
#include "core/base/machine.hpp"

namespace lufact {

void DevicePart::open(PhaseRecorder& setup, int device, std::optional<std::uint64_t> memory_limit) {
  const auto phase = setup.scope("context");
  session_ = gpu::open_session({device, memory_limit});
}

void DevicePart::add_memory(MemoryRecord& memory) const {
  memory.host_peak_bytes = peak_resident_bytes();
  if (session_) add_device_memory(*session_, memory);
}

void DevicePart::release() {
  if (session_) gpu::return_memory(*session_);
}

void judge_by_verification(RunRecord& record) {
  const VerificationRecord& verification = record.verification.value();
  record.outcome = Outcome::ok;
  if (verification.method == "none" || verification.passed) return;
  record.outcome = Outcome::inaccurate;
  record.error = ErrorRecord{"verification_failed", verification.message, "verify"};
}

void refuse_arrays(const std::string& reason) {
  throw Error(Outcome::unsupported, "not_taken", reason);
}

}  // namespace lufact
