// SPDX-License-Identifier: BSD-3-Clause
// The fill2 search on the cores of a host.
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `cpu-fill2`: see fill2_symbolic.cpp.
std::unique_ptr<SymbolicStage> make_fill2_symbolic();

}  // namespace lufact
