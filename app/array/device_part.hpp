// SPDX-License-Identifier: BSD-3-Clause
// What workers on dense matrices share: the device, and the verdict.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/record.hpp"
#include "gpu/gpu.hpp"

namespace lufact {

// The session of a worker; empty while it works on the host alone.
class DevicePart {
 public:
  // In the phase `context`.
  void open(PhaseRecorder& setup, int device, std::optional<std::uint64_t> memory_limit);
  DeviceSession* session() const noexcept { return session_.get(); }
  DeviceProbe* probe() const { return session_ ? &gpu::probe(*session_) : nullptr; }
  void add_memory(MemoryRecord& memory) const;
  // Gives memory that nothing holds back to the card.
  void release();

 private:
  std::shared_ptr<DeviceSession> session_;
};

// `ok`, or `inaccurate` with the verification's message.
void judge_by_verification(RunRecord& record);

// Asked of a variant although it does not take it, which nothing but the matrices or the library
// could tell: Error{unsupported, "not_taken"}.
[[noreturn]] void refuse_arrays(const std::string& reason);

}  // namespace lufact
