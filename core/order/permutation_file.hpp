// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "core/base/types.hpp"
#include "core/matrix/permutation.hpp"

namespace lufact {

// Reads a permutation of n labels: one integer per line, line k holding the old label that comes
// k-th (old_of_new). Blank lines and lines that begin with '%' are skipped. Labels count from 0 if
// the file holds a 0, from 1 if it holds n. Labels are columns of A, which are those of PA.
// Throws Error{error, "bad_permutation"} with file and line: cannot be opened, not an integer,
// out of range, repeated, wrong count.
Permutation read_permutation_file(const std::string& path, Index n);

}  // namespace lufact
