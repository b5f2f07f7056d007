// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/matrix/permutation.hpp"

namespace lufact {

// Whether METIS was there when lufact was built.
bool metis_available() noexcept;

// Multilevel nested dissection of the graph of A + A' (Karypis and Kumar, SIAM J. Sci. Comput.
// 20(1), 1998), fixed seed. Throws Error{unsupported, "no_metis"} without the library, and
// {unsupported, "metis_overflow"} where its integers are too narrow for the graph.
Permutation metis_ordering(const CsrPattern& a);

}  // namespace lufact
