// SPDX-License-Identifier: BSD-3-Clause
// The host's plan of a multifrontal factorization: the thread or team for each front, and the place
// of every block. Places depend on the number of threads, the values computed do not.
#pragma once
#include <string_view>
#include <vector>

#include "core/pipeline/front_products.hpp"

namespace lufact {

namespace product_types {
inline constexpr ProductType front_schedule{"front-schedule"};
}  // namespace product_types

// Rows of stored blocks are padded to a multiple of this, so that vectors of this many entries
// cover the rows exactly.
inline constexpr Index row_unit = 4;

// How the host stores a front with `pivots` pivots and `rows` contribution rows. Its values are
// three blocks, one after the other, each by columns: D, pivots x pivots, holds L and U without the
// diagonal of L; then the rows of L below D, rows x pivots; then U right of D, transposed, rows x
// pivots. Rows are padded with zeros.
struct ScheduledFront {
  Offset values = 0;        // first of its values
  Offset contribution = 0;  // of its block, in the arena of its subtree or in the shared one
  Offset vectors = 0;       // of its contribution rows in the solve's vectors
  Index pivots = 0, rows = 0;
  Index parent = -1;  // the next front with pivots above it
  Index child_begin = 0, child_end = 0;
  bool shared = false;  // its contribution block stands in the shared arena

  Offset pivot_stride() const noexcept { return round_up(pivots, row_unit); }
  Offset row_stride() const noexcept { return round_up(rows, row_unit); }
  Offset lower() const noexcept { return values + pivot_stride() * pivots; }
  Offset upper() const noexcept { return lower() + row_stride() * pivots; }
  Offset end() const noexcept { return upper() + row_stride() * pivots; }
  Offset contribution_entries() const noexcept { return row_stride() * rows; }
  // Divisions, and 2 for each multiply-add.
  double flops() const noexcept;
};

// Fronts begin .. end, in postorder, which one thread eliminates.
struct FrontSubtree {
  Index begin = 0, end = 0;
};

class FrontSchedule final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::front_schedule; }
  Side side() const noexcept override { return Side::host; }

  std::vector<ScheduledFront> front;  // those without pivots have no children and no parent
  std::vector<Index> child;           // by parent, ascending; what a front without pivots would
                                      // add up goes to the front above it at once
  std::vector<Index> parent_row;      // as in FrontTree, of the parent above
  std::vector<Offset> entry_to;       // place of each entry of B among the values, as in FrontTree
  std::vector<FrontSubtree> subtree;  // disjoint, the heaviest first
  std::vector<Index> above;           // the fronts that stand in none of them, in postorder
  Offset values = 0;                  // entries of the factors
  Offset vectors = 0;                 // padded contribution rows of all fronts
  Offset thread_arena = 0, shared_arena = 0;  // entries for contribution blocks: a thread's, and
                                              // those of the subtrees' roots and fronts above
  Index most_pivots = 0;                      // of a front
  double work = 0;                            // of the factorization, see front_work()
  double critical_work = 0;                   // of the heaviest path to a root
};

// Work of eliminating a front, in operations. The time spent on each front and on each of its
// entries is counted as operations too.
double front_work(const ScheduledFront& front) noexcept;

// Operations that one thread does in a second, roughly: from 10e9 in fronts of a few rows to 50e9
// in large ones with AVX-512.
inline constexpr double front_work_per_second = 20e9;

// A subtree has at most one part in so many of a thread's share of the work, so that threads that
// take subtrees one by one end together.
inline constexpr int subtrees_per_thread = 8;

// Fronts above the subtrees with more operations than this are eliminated by all threads.
inline constexpr double shared_front_flops = 1.5e6;

}  // namespace lufact
