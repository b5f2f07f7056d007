// SPDX-License-Identifier: BSD-3-Clause
// The driver's unified-memory counters through CUPTI, which is loaded when it is asked for.
#pragma once
#include <memory>

#include "gpu/runtime/session_facts.hpp"

namespace lufact::gpu {

// Never throws where driver or library refuse: read() then returns the reason. One object at a time
// in a process, made before the session.
std::unique_ptr<PageFaultCounters> start_page_fault_counters();

}  // namespace lufact::gpu
