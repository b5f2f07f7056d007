// SPDX-License-Identifier: BSD-3-Clause
// Entries sorted into rows, in the order of the file within each row.
#pragma once
#include <memory>
#include <vector>

#include "core/matrix/triplet_parser.hpp"

namespace lufact::matrix_market {

struct RowEntry {
  Index col;
  double value;
};

struct RowEntries {
  std::vector<Offset> row_ptr;          // n + 1
  std::unique_ptr<RowEntry[]> entries;  // row_ptr[n]
};

// Whether each off-diagonal entry also stands for its mirror, and with which sign.
enum class Mirror { none, same, opposite };

// A stable counting sort by row: every part of the file counts its rows, prefix sums give each part
// its place in each row, and every part writes its entries there. So the order within a row is that
// of the file (mirrors where their originals stand) for any number of threads. O(nnz + n parts)
// time, at most 16 bytes per entry for the counts. Throws std::bad_alloc.
RowEntries sort_by_row(const Triplets& triplets, Index n, Mirror mirror, int threads);

}  // namespace lufact::matrix_market
