// SPDX-License-Identifier: BSD-3-Clause
// Copies of vector blocks between two labellings of their rows. Blocks are stored by columns: entry
// e is row e % n of column e / n, n the number of labels.
#pragma once
#include <span>

#include "core/base/types.hpp"

namespace lufact {

// Copies entries, from `first` on, of the block whose row i is row labels[i] of `from` to `to`; of
// `from` itself where labels are empty.
void gather_rows(std::span<const double> from, std::span<const Index> labels, Offset first,
                 std::span<double> to);

// The inverse: `from` has the entries, from `first` on, of the block whose row i becomes row
// labels[i] of `to`.
void scatter_rows(std::span<const double> from, std::span<const Index> labels, Offset first,
                  std::span<double> to);

}  // namespace lufact
