// SPDX-License-Identifier: BSD-3-Clause
// Nonsingular matrices that are hard to factor without exchanging rows and columns, from a seed.
#pragma once
#include <cstdint>
#include <string>

#include "core/matrix/pattern.hpp"

namespace lufact::test {

struct HardMatrix {
  std::string name;
  CsrMatrix matrix;
};

// Of 50 to 450 rows, by seed % 4: a saddle point whose (2,2) block is zero, in half of them part of
// the (1,1) block's diagonal too; blocks with zero diagonals and a border whose diagonal is zero in
// half of them; a product of sparse triangles of ones of either sign, whose pivots cancel exactly
// although its rows are matched; the equations of a circuit with conductances over 14 decades,
// voltage sources and controlled sources. Entries of the first two are ones of either sign in half
// of them; rows and columns of the first three are scaled by powers over 6 decades in half of them;
// labels are shuffled in all four.
HardMatrix hard_matrix(std::uint64_t seed);

}  // namespace lufact::test
