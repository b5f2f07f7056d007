// SPDX-License-Identifier: BSD-3-Clause
// Repetitions that are never timed, in which the driver or a stage counts something: each in a
// child process of its own, since counting slows a run down, so that nothing else is taken from it.
// Where the driver refuses, or the child dies or runs out of time, the record says why. `stop`
// turns nonzero when the user interrupts.
#pragma once
#include <optional>
#include <string>

#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

UnifiedMemoryRecord run_page_fault_repetition(const VariantPlan& plan, const Input& input,
                                              const volatile int* stop);

// With a refactorization behind it where the plan has some. Empty for a variant that uses no
// device. Where no memory can be told apart by process, nobody else may use the card meanwhile.
std::optional<DriverMemoryRecord> run_device_memory_repetition(const VariantPlan& plan,
                                                               const Input& input,
                                                               const volatile int* stop);

struct CountedSources {
  GsofaSources sources;
  std::string unavailable_reason;  // empty: they are there
};
// Of the search alone, on all its ranks. `sha256` is of the file.
CountedSources run_source_repetition(const VariantPlan& plan, const Input& input,
                                     const std::string& sha256, const volatile int* stop);

}  // namespace lufact
