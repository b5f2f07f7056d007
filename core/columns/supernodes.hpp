// SPDX-License-Identifier: BSD-3-Clause
// T3 supernodes of rows (GSoFa section 5, Definition 1), on the host.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "core/pipeline/column_products.hpp"
#include "core/pipeline/supernode_finder.hpp"

namespace lufact {

// Rows that follow each other from `first_row` on, wherever their columns are. `row_ptr` and
// `diagonal` are positions in `columns`; the former has one more than rows.
struct ChunkOfRows {
  std::span<const Offset> row_ptr, diagonal;
  const Index* columns = nullptr;
  Index first_row = 0;
};

// Appends the first rows of the supernodes of a chunk by the rule below, ascending.
void append_supernode_starts(const ChunkOfRows& chunk, std::vector<Index>& starts);

// Row pointers of the supernodes: r starts one, s > r joins it where s - 1 is in it, nnz(U(s,:)) =
// nnz(U(s-1,:)) - 1 with diagonals counted, L(s,r) != 0, and no multiple of `most_rows` lies in
// between; otherwise s starts the next one. Chunks of `most_rows` rows are done in parallel; with
// the columns of a row sorted the second test is a binary search. most_rows >= 1.
std::vector<Index> find_t3_supernodes(const ColumnPattern& pattern, Index most_rows);

std::unique_ptr<SupernodeFinder> make_host_supernode_finder();

}  // namespace lufact
