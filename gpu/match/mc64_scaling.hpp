// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/facts/scaling_facts.hpp"

namespace lufact::gpu {

// `gpu-mc64`: the matching of `mc64` (Duff and Koster, SIAM J. Matrix Anal. Appl. 22(4), 2001,
// job 5) in integer costs, all free rows at once: bids (Bertsekas 1988), duals by diagonal scaling
// (Sharify, Gaubert and Grigori 2011), then phases of one search from all free rows and as many
// augmentations as there are trees that reach a free column, in the lengths of Gabow and Tarjan
// (SIAM J. Comput. 18(5), 1989).
//
// Matched entries are 1 once scaled, all others at most 1.0219, which bounds the product of the
// matched entries to 2^(-n/32) of the largest one; mc64's own bound is 1 up to rounding. The result
// has the same bits in every run, on every card, and for every number of threads. Where the
// diagonal proves itself optimal (settle_on_diagonal) the result is that of mc64.
//
// The choice `scaling/matching` records who matched and why. The host does, by mc64, small
// matrices, those with a very long row, equal magnitudes and those for which labels or device
// memory do not do, and what mc64 has to say of values that are not finite and of matrices that are
// structurally singular, of which the device finds the rank. It ends, from the device's duals and
// with the same bits, matchings that come down to long thin searches: a round of one takes the
// device 2 us, however little there is to do.
//
// Bound by barriers of the grid, some 2 us each, and by atomic operations on columns with very many
// entries. Takes 24 bytes an entry and 150 a row of device memory. Throws as mc64.
std::unique_ptr<ScalingStage> make_mc64_scaling();
const ScalingFacts& mc64_scaling_facts();

}  // namespace lufact::gpu
