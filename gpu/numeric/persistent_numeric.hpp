// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/numeric/column_engine.hpp"

namespace lufact::gpu {

// `gpu-persistent`: left-looking over supernodes of columns with the same rows below, one kernel
// for a whole matrix, in which every supernode waits for its source supernodes; a fixed order of
// summation, so that the bits of the factors depend on the input alone.
const ColumnEngineKind& persistent_engine();
std::unique_ptr<NumericStage> make_persistent_numeric();

}  // namespace lufact::gpu
