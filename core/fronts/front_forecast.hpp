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

// One persistent kernel on an H200: fixed costs of launches and copies, the latency of the longest
// path of fronts, an arithmetic rate. Numeric step and solve are fitted to 12 matrices of 12,000 to
// 115,000 rows, copies are estimated; in results/h200/fast.json 57 refactorizations take 0.57 to
// 1.18 of it, root mean square deviation 0.2.
FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions& options);

// The stages `subtrees` and `cpu-multifrontal` on so many threads, fitted to 25 matrices of 1,800
// to 115,000 rows on 16 cores: what threads do side by side, what they wait for, and a time for
// each tile of pivots that they share. In results/h200/fast.json 13 refactorizations take 0.83
// to 1.59 of it.
FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options);

}  // namespace lufact
