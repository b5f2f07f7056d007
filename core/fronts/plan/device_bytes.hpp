// SPDX-License-Identifier: BSD-3-Clause
// Device memory of the front family in closed form: one formula for the plan, which must leave
// room, and for the check before the device allocates.
#pragma once
#include <cstdint>

#include "core/pipeline/front_products.hpp"
#include "core/pipeline/options.hpp"
#include "core/pipeline/pivoting.hpp"

namespace lufact {

// NumericCounters of the device.
inline constexpr Offset front_counter_words = 14;

// What the arrays beside factors and contribution blocks are sized by.
struct FrontCounts {
  Offset n = 0, rows = 0;  // contribution rows of all fronts
  Offset entries = 0;      // of B
  Offset fronts = 0, flags = 0;
  Offset tasks = 0;                   // of the factorization and of the solves
  Offset parts = 1, solve_parts = 1;  // launches of the factorization; parts of the solves
  Pivoting pivoting = Pivoting::fixed_rows;
  Index sweeps = 0;  // as many_sweeps() has them
};
FrontCounts front_counts(const FrontTree& tree, const TaskGraph& graph,
                         const StageOptions& options);

// Words of one factorization: counters, blocks that are done, a ticket for each part, flags of
// tiles, tasks that are done of each front, fronts whose factors are stored, whether all is
// complete.
Offset factorization_words(const FrontCounts& counts);
// Words of one solve: a ticket for each launch, then flags of tile rows and of fronts for L and for
// U.
Offset solve_words(const FrontCounts& counts);

// What a factors object allocates beside factors and contribution blocks.
std::uint64_t front_work_bytes(const FrontCounts& counts, std::uint64_t value_bytes);
// What the tree and the graph take once they are on the device.
std::uint64_t front_product_bytes(const FrontTree& tree, const TaskGraph& graph);

}  // namespace lufact
