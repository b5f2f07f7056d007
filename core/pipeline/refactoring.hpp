// SPDX-License-Identifier: BSD-3-Clause
// How refactorizations are measured, which options say and a record repeats.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/pipeline/product.hpp"

namespace lufact {

// How the phases of a refactorization are told apart.
enum class PhaseTiming {
  waits,   // the host waits for the device at the end of each, and reads its clock
  events,  // by events on the device; the host waits once, at the end
  none,    // not at all: the host waits once, and a solve may begin within the factorization
};
constexpr std::string_view to_string(PhaseTiming timing) noexcept {
  switch (timing) {
    case PhaseTiming::waits:
      return "waits";
    case PhaseTiming::events:
      return "events";
    case PhaseTiming::none:
      return "none";
  }
  return "";
}

struct Refactoring {
  // Where new values and right-hand sides are before the clock starts, and the solution when it
  // ends.
  Side values = Side::host;
  PhaseTiming phases = PhaseTiming::waits;
};

// How it really was: a solver on the host has its values there.
struct RefactoringRecord {
  std::string values, phases;
};
inline RefactoringRecord record_of(const Refactoring& refactoring) {
  return {std::string(to_string(refactoring.values)), std::string(to_string(refactoring.phases))};
}

}  // namespace lufact
