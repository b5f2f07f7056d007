// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/systems.hpp"

namespace lufact {

// Beside `cpu-multifrontal`: a system a core. Every thread factors and solves a system alone, with
// arrays of its own that stay in its cache, and as many systems are in memory as there are threads:
// systems take equally long, so that no thread waits for others.
std::unique_ptr<SystemsStage> make_host_systems();

}  // namespace lufact
