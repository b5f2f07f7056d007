// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string_view>

#include "core/measure/phase_recorder.hpp"

namespace lufact::gpu {

// A part of a factorization as a sub-phase, where phases are recorded.
class Part {
 public:
  Part(PhaseRecorder* phases, std::string_view name) {
    if (phases != nullptr) scope_.emplace(*phases, name, true);
  }

 private:
  std::optional<PhaseRecorder::Scope> scope_;
};

}  // namespace lufact::gpu
