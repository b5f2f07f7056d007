// SPDX-License-Identifier: BSD-3-Clause
// What a factorization in a given order will take, for choices between orders.
#pragma once
#include <string>

#include "core/order/graph/ordering_cost.hpp"

namespace lufact {

// Seconds of one factorization on a device that works on all columns that are ready at once: a
// floor, a little for every column, the slowest path of the elimination tree and all the
// arithmetic. Trusted for comparing orders of one matrix.
double forecast_seconds(const OrderingCost& cost, const Rates& rates) noexcept;

// The same for cpu-multifrontal on so many threads, `nnz` being the entries of the matrix. Paths
// cost it little: what is padded to shorten them. Trusted for telling which factorizations are too
// small to be worth another order.
double forecast_host_seconds(const OrderingCost& cost, Offset nnz, int threads,
                             const Rates& rates) noexcept;

// The part of forecast_seconds() which is avoidable because the path is longer than three largest
// columns: a tree that branches well has 1.1 to 2.5 of them (15 of 16 matrices ordered by METIS).
double avoidable_share(const OrderingCost& cost, const Rates& rates) noexcept;

// Seconds that the orderings take on a pattern of so many entries, roughly: dissection on so many
// threads.
double forecast_amd_seconds(Offset nnz, const OrderingRates& rates) noexcept;
double forecast_metis_seconds(Offset nnz, const OrderingRates& rates) noexcept;
double forecast_dissection_seconds(Offset nnz, int threads, const OrderingRates& rates) noexcept;

// The figures behind forecast_seconds(), for the reason of a choice.
std::string describe(const OrderingCost& cost, const Rates& rates);

}  // namespace lufact
