// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string_view>

namespace lufact {

// Which rows a pivot may come from. Pivots that are tiny all the same are replaced either way.
enum class Pivoting {
  fixed_rows,      // the row that stands there: static pivoting (Li and Demmel)
  diagonal_block,  // any row left in its diagonal block of a front: partial pivoting inside the
                   // block
};
std::string_view to_string(Pivoting pivoting) noexcept;

}  // namespace lufact
