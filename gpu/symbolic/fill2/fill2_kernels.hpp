// SPDX-License-Identifier: BSD-3-Clause
// The launches of the tuned fill2 search. Each launch searches all rows, the last ones first, with
// as many rows in flight as there are slots.
#pragma once
#include "gpu/symbolic/fill2/fill2_crossing.hpp"
#include "gpu/symbolic/fill2/fill2_plan.hpp"

namespace lufact::gpu {

// Searches that begin at the rows of one matrix.
struct Fill2Direction {
  PatternRef rows;
  CrossingRef crossing;
  // A search from src finds row src of L (`lower`), or column src of U (`upper`) where `rows` are
  // those of the transpose. Both are set for a symmetric pattern, where the two sets are equal.
  bool lower = false, upper = false;
};

// One direction for a symmetric pattern, which has no crossing edges; two otherwise.
struct Fill2Graph {
  static constexpr int most_directions = 2;
  ForestRef forest;
  Fill2Direction directions[most_directions];
  int count = 0;
};

// Results of the count pass that the position pass reuses, for rows that take long to search.
struct KeptRows {
  Index* entries = nullptr;
  Offset capacity = 0;
  Offset* used = nullptr;    // may pass `capacity`: later rows are not kept
  Offset* begins = nullptr;  // of search `direction` of row i at 2 i + direction; -1: not kept
  Index* lengths = nullptr;
};

// The work arrays of the rows in flight, and the rows that were kept.
class Fill2Workspace {
 public:
  Fill2Workspace(DeviceSession& session, const Fill2RowNeeds& needs, const Fill2Slots& slots);

  const Fill2RowNeeds& needs() const noexcept { return needs_; }
  const Fill2Slots& slots() const noexcept { return slots_; }
  unsigned* marks() noexcept { return marks_.data(); }  // null: in shared memory
  // The turn counter of a launch, zero when the launch begins.
  Index* start_turns();

 private:
  Fill2RowNeeds needs_;
  Fill2Slots slots_;
  Buffer<unsigned> marks_;
  Buffer<Index> turns_;
};

// counts[i] += entries found in row i of L + U. Keeps rows where kept.capacity is not 0.
void launch_fill2_count(DeviceSession& session, const Fill2Graph& graph, Fill2Workspace& workspace,
                        const KeptRows& kept, Offset* counts);

// The pattern of L + U, its columns not yet written. Entries of U fill each row from its end
// downwards: upper_begin[i] goes from the end of row i down to the begin of its part of U.
struct Fill2Target {
  const Offset* row_ptr = nullptr;
  Index* col_idx = nullptr;
  Offset* upper_begin = nullptr;
};
// Writes entries of L to their places, and entries of U to their rows in any order.
void launch_fill2_place(DeviceSession& session, const Fill2Graph& graph, Fill2Workspace& workspace,
                        const KeptRows& kept, const Fill2Target& target);

// Before all searches: counts[i] = 1, the diagonal, for i < n; counts[n] = 0.
void launch_start_counts(DeviceSession& session, Index n, Offset* counts);
// Between the passes: upper_begin[i] = the end of row i.
void launch_start_places(DeviceSession& session, Index n, const Fill2Target& target);
// After all searches: puts the diagonal into each row and the part of U in order; upper_begin then
// holds the positions of the diagonal.
void launch_order_upper(DeviceSession& session, Fill2Workspace& workspace,
                        const Fill2Target& target);

// Rows that the card works on at once.
Index resident_fill2_rows(const DeviceSession& session, const Fill2RowNeeds& needs);

}  // namespace lufact::gpu
