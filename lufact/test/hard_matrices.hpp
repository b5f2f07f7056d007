// SPDX-License-Identifier: BSD-3-Clause
// Nonsingular matrices that are hard to factor without exchanging rows and columns, from a seed.
#pragma once
#include <string>

#include "core/matrix/pattern.hpp"

namespace lufact::test {

struct HardMatrix {
  std::string name;
  CsrMatrix matrix;
};

// Of 60 to 400 rows, by seed % 3: a saddle point whose (2,2) block is zero, in half of them part of
// the (1,1) block's diagonal too; blocks with zero diagonals and a border whose diagonal is zero in
// half of them; the equations of a circuit with conductances over 14 decades, voltage sources and
// controlled sources. Rows and columns of the first two are scaled by powers over 6 decades in half
// of them, before that their entries are ones of either sign in half of them, so that pivots cancel
// exactly; labels are shuffled in all three.
HardMatrix hard_matrix(std::uint64_t seed);

}  // namespace lufact::test
