// SPDX-License-Identifier: BSD-3-Clause
// Time that a factorization in a given order will take, for choices between orders.
#pragma once
#include <string>

#include "core/order/graph/ordering_cost.hpp"

namespace lufact {

// Seconds of one factorization on a device that works on all columns that are ready at once: a
// floor, a little for every column, the slowest path of the elimination tree and all the
// arithmetic. Trusted for comparing orders of one matrix.
double forecast_seconds(const OrderingCost& cost, const Rates& rates) noexcept;

// The same for cpu-multifrontal on so many threads, `nnz` being the entries of the matrix. Long
// paths cost little: only the padding that shortens them. Trusted for telling which factorizations
// are too small to be worth another order.
double forecast_host_seconds(const OrderingCost& cost, Offset nnz, int threads,
                             const Rates& rates) noexcept;

// The share of forecast_seconds() that a better order could avoid, because the path has more
// columns than three times the largest column's entries. In a tree that branches well it has 1.1 to
// 2.5 times as many (15 of 16 matrices ordered by METIS).
double avoidable_share(const OrderingCost& cost, const Rates& rates) noexcept;

// Seconds that an ordering takes on a pattern of so many entries, roughly. Dissection runs on
// `threads`.
double forecast_amd_seconds(Offset nnz, const OrderingRates& rates) noexcept;
double forecast_metis_seconds(Offset nnz, const OrderingRates& rates) noexcept;
double forecast_dissection_seconds(Offset nnz, int threads, const OrderingRates& rates) noexcept;

// The figures behind forecast_seconds(), for the reason of a choice.
std::string describe(const OrderingCost& cost, const Rates& rates);

}  // namespace lufact
