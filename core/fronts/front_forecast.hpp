// SPDX-License-Identifier: BSD-3-Clause
// What factoring a front tree will take on either side, for the choice between back ends.
#pragma once
#include "core/pipeline/front_products.hpp"
#include "core/pipeline/options.hpp"

namespace lufact {

// Seconds: planning, and copying the plan, once; numeric, solve and the copies of values and
// vectors in every factorization.
struct FrontForecast {
  double once = 0, each = 0;
};

// One persistent kernel on an H200 as measured (results/h200/peers.json): fixed costs of launches
// and copies, a time for each tile of pivots on the longest path and for each task, an arithmetic
// rate. Within a factor of two for 19 matrices of 2,500 to 200,000 rows.
FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions& options);

// The stages `subtrees` and `cpu-multifrontal` on so many threads: the work of all fronts shared by
// them, or that of the longest path; a solve reads every value once.
FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options);

}  // namespace lufact
