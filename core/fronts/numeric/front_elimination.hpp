// SPDX-License-Identifier: BSD-3-Clause
// One front of a multifrontal factorization on the host, from assembly to contribution block.
#pragma once
#include <functional>

#include "core/fronts/numeric/dense_kernels.hpp"
#include "core/fronts/numeric/thread_team.hpp"

namespace lufact {

// Told the block of pivots of a front, by columns, when the front is assembled and not yet
// eliminated; for different fronts by several threads at once.
template <class T>
using PivotBlockObserver = std::function<void(Index front, const T* block, Offset stride)>;

// Arguments and results that all threads of a factorization share.
template <class T>
struct FrontWork {
  const FrontTree& tree;
  const FrontSchedule& schedule;
  const double* matrix_values = nullptr;  // of B
  const double* entry_scale = nullptr;    // by the tree's entries
  T* values = nullptr;                    // of the factors
  T* inverse_pivot = nullptr;             // by position
  T* shared_arena = nullptr;
  // By position: the row that the pivot comes from, counted from the first row of its block; null
  // where rows are not exchanged. With exchanges, blocks are the tiles that a front is cut into.
  std::uint8_t* row_source = nullptr;
  const PivotBlockObserver<T>* observer = nullptr;  // null: nobody looks
};

// Workspace of one thread.
template <class T>
struct FrontScratch {
  T* arena = nullptr;  // its contribution blocks
  T* right = nullptr;  // most_pivots x diagonal_block, padded
  T upper[diagonal_block * diagonal_block];
  Index exchange[diagonal_block];  // see DenseKernels::factor_with_exchanges
  bool exchanges = false;          // at least one entry of `exchange` names another row
  PivotWatch<T> watch;
  double largest_input = 0;
};

// T is float or double. Sums are taken in the same order by any team: first the entry of B, then
// the children ascending; in a contribution block first the products, then the children.
template <class T>
class FrontElimination {
 public:
  // Members of a team use their leader's scratch besides their own. A thread alone is the leader.
  FrontElimination(const FrontWork<T>& work, FrontScratch<T>& own, FrontScratch<T>& leader,
                   const ThreadTeam& team);

  void run(Index f);

 private:
  void assemble();
  void add_entries();
  void add_to_pivot_columns(Index begin, Index end);
  void add_to_pivot_rows(Index begin, Index end);
  void eliminate_block(Index k, Index width);
  void factor_block(Index k, Index width);
  void exchange_rows(T* first, Offset stride, Index width, Index columns) const;
  void exchange_columns(T* first, Offset stride, Index width, Index rows) const;
  void eliminate_right_of(Index k, Index width);
  void update_behind(Index k, Index width);
  void watch_growth();
  void contribute();
  void add_to_contribution(T* to, Index begin, Index end);
  template <class Body>
  void for_columns(Index begin, Index count, const Body& body);
  template <class Body>
  void for_children(const Body& body) const;
  T* contribution_of(const ScheduledFront& front) const;

  const FrontWork<T>& work_;
  FrontScratch<T>& own_;
  FrontScratch<T>& leader_;
  ThreadTeam team_;
  const DenseKernels<T>& kernels_;
  const ScheduledFront* front_ = nullptr;  // its values: D, L below, U right of it
  Index number_ = 0;
  T *d_ = nullptr, *lower_ = nullptr, *upper_ = nullptr, *inverse_ = nullptr;
};

}  // namespace lufact
