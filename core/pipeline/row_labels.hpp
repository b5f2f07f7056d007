// SPDX-License-Identifier: BSD-3-Clause
// Blocks of vectors whose rows have other labels on the other side of a copy. Blocks are stored by
// columns: entry e is row e % n of column e / n, n the number of labels.
#pragma once
#include <span>

#include "core/base/types.hpp"

namespace lufact {

// The block whose row i is row labels[i] of `from`, or `from` itself without labels: its entries
// from `first` on go to `to`.
void gather_rows(std::span<const double> from, std::span<const Index> labels, Offset first,
                 std::span<double> to);

// The way back: `from` has the entries from `first` on of the block whose row i is row labels[i] of
// `to`.
void scatter_rows(std::span<const double> from, std::span<const Index> labels, Offset first,
                  std::span<double> to);

}  // namespace lufact
