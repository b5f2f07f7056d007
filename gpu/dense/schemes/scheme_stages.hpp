// SPDX-License-Identifier: BSD-3-Clause
// The schemes of DENSE as stages, and two that tell what its gain of `skr` over `mkr` is made of.
// iterative.hpp and recursion.hpp say what each one is. All of them compute the same bits, for
// every grid (elimination.cuh). They work on a copy by rows, as C programs store a matrix and as
// threads that take columns need it: the copy there and back is part of the work.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// Of `recursive` and `hybrid`: what DENSE found best (section 5).
inline constexpr int own_recursion_block = 32;

#define LUFACT_DENSE_SCHEME(name)              \
  const ArrayStageFacts& name##_array_facts(); \
  std::unique_ptr<ArrayStage> make_##name##_array();
LUFACT_DENSE_SCHEME(mkr)
LUFACT_DENSE_SCHEME(skr)
LUFACT_DENSE_SCHEME(recursive)
LUFACT_DENSE_SCHEME(hybrid)
LUFACT_DENSE_SCHEME(mkr_async)
LUFACT_DENSE_SCHEME(mkr_graph)
#undef LUFACT_DENSE_SCHEME

}  // namespace lufact::gpu
