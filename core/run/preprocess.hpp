// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact {

struct PreprocessSteps {
  const ScalingStage& scaling;
  const OrderingStage& ordering;
  // Asked once the ordering is known, in its phase: whether the postorder of the elimination tree
  // is to be composed with one that is none.
  std::function<bool(const Ordering&, StageContext&)> wants_postorder;
  // Asked once B is laid out, in the phase `permute`: whether its entries are to be placed on the
  // host; if empty, they are.
  std::function<bool(const PermutedMatrix&)> wants_entries = {};
};

// B: A scaled, matched, ordered and permuted, missing diagonal entries added as zeros. The phases
// are `scale` and `order`, the latter with the parts `postorder` and `permute`. Throws Error.
std::shared_ptr<PermutedMatrix> preprocess(const CsrMatrix& a, const PreprocessSteps& steps,
                                           StageContext& context);

}  // namespace lufact
