// SPDX-License-Identifier: BSD-3-Clause
// Time that factoring a front tree will take on host and device, for the choice between back ends.
#pragma once
#include "core/pipeline/front_products.hpp"
#include "core/pipeline/options.hpp"

namespace lufact {

// Seconds: planning, copying the plan and touching memory for the first time, once; numeric, solve
// and the copies of values and vectors in every factorization.
struct FrontForecast {
  double once = 0, each = 0;
};

// One persistent kernel: fixed costs of launches and copies, the latency of the longest path of
// fronts, a rate of arithmetic, times for tasks, entries and rows.
FrontForecast forecast_on_gpu(const FrontTree& tree, const StageOptions& options);

// The stages `subtrees` and `cpu-multifrontal` on so many threads: terms are parallel work, serial
// work, and times for each shared tile of pivots, each entry and each row. On 16 cores beside an
// H200, of 96 choices between host and device, for one factorization or for many, all but three
// take the quicker one or one that needs at most 1.1 times as long; the three lose 12%, 14% and
// 24%, none of them with 16 threads.
FrontForecast forecast_on_cpu(const FrontTree& tree, const StageOptions& options);

}  // namespace lufact
