// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// Runs a variant on its input once more, in a child process of its own whose unified-memory page
// faults the driver counts; the counting slows a run down, so nothing else is taken from it. Where
// the driver refuses, or the child dies or runs out of time, the record says why. `stop` turns
// nonzero when the user interrupts.
UnifiedMemoryRecord run_page_fault_repetition(const VariantPlan& plan, const Input& input,
                                              const volatile int* stop);

}  // namespace lufact
