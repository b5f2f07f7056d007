// SPDX-License-Identifier: BSD-3-Clause
// One pattern of L + U on the host from the rows that several ranks have found.
#pragma once
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/distribution/gsofa_schedule.hpp"
#include "core/distribution/rank_exchange.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The rows of a share, by place.
struct FoundRows {
  GsofaShare share;
  std::vector<Offset> row_ptr{0};  // one more than rows
  std::vector<Offset> diagonal{};  // positions in `columns`
  std::vector<Index> columns{};    // those of the matrix, ascending in each row

  Offset entries() const noexcept { return row_ptr.back(); }
};

// Rows to rank 0: row pointers, diagonals, then columns.
void send_rows(RankGroup& ranks, const FoundRows& rows);

// On rank 0: a pattern of n rows from `own` and those that all others send, one share each.
// `shares` are those of ranks 1, 2, ... Throws std::bad_alloc where there is no room.
ColumnPattern assemble_rows(RankGroup& ranks, Index n, FoundRows own,
                            std::span<const GsofaShare> shares, std::span<const RankReport> reports,
                            int threads);

// Bytes that a rank has sent of its rows and supernodes.
std::uint64_t sent_bytes(Offset rows, const RankReport& report) noexcept;

}  // namespace lufact
