// SPDX-License-Identifier: BSD-3-Clause
// Validator of a column schedule: independent of every levelization, it checks a finished schedule
// against the hazards of the right-looking column algorithm.
#pragma once
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/product_handler.hpp"

namespace lufact {

// The levels partition the columns, are not empty, agree with level_of and list their columns in
// ascending order; and a column lies in a later level than every column that it must wait for:
//   U         k waits for i where U(i,k) and column i of L is not empty (i writes into column k);
//   double-U  t waits for i where L(t,i) and row i of U reaches beyond t: i writes As(t,k) for some
//             k > t, which t reads as a multiplier (GLU3, section on double-U dependency; on a
//             closed pattern the triple loop of its Algorithm 3 finds the same pairs);
//   L         t waits for i where L(t,i), for schedules under `relaxed` only, whose rule says so.
// A schedule under `glu1` is checked against the first two as well, and so is rejected wherever it
// is unsafe. A schedule may have more levels than it needs. `pattern` must be valid. The message
// names the pair of columns, from 0. O(nnz).
ValidatorVerdict validate_column_schedule(const ColumnPattern& pattern,
                                          const ColumnSchedule& schedule);

}  // namespace lufact
