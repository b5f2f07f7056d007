// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// `gpu-auto`: `gpu-binary-search` where n > L / (TB_max sizeof(T)), else `gpu-dense` (E2E section
// 3.4). L is the budget less what is resident once the factors are allocated, TB_max the blocks of
// 1024 threads that the card holds. Exactly one of the two runs, also in refactorizations. The
// choice is recorded in notes.choices, TB_max in the figures, and M too where it decided against
// dense columns.
std::unique_ptr<NumericStage> make_auto_numeric();

}  // namespace lufact::gpu
