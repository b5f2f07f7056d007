// SPDX-License-Identifier: BSD-3-Clause
// Time that a factorization in a given order will take, for choices between orders.
#pragma once
#include <string>

#include "core/order/graph/ordering_cost.hpp"

namespace lufact {

// Seconds of one factorization on a device that works on all columns that are ready at once: a
// floor, a little for every column, the slowest path of the elimination tree and all the
// arithmetic. The rates are a least-squares fit of relative errors to the refactorizations of
// gpu-multifrontal on an H200 in results/h200/peers.json.xz: 19 matrices of 2,500 to 200,000 rows,
// 0.39 to 4.95 ms, orders of nd-parallel and two of amd. Root mean square deviation 11%, largest
// 20%; the same terms with one rate for all columns of a path: 16% and 39%. Trusted for comparing
// orders of one matrix.
double forecast_seconds(const OrderingCost& cost) noexcept;

// The same for cpu-multifrontal on so many threads, `nnz` being the entries of the matrix. Long
// paths cost little: only the padding that shortens them. Fitted to refactorizations of 16 matrices
// of 1,800 to 115,000 rows by 1, 4 and 16 threads on 16 cores: 47 of 48, 0.36 to 7.3 ms, take 0.48
// to 1.9 of the forecast, root mean square deviation 30%. Trusted for telling which factorizations
// are too small to be worth another order.
double forecast_host_seconds(const OrderingCost& cost, Offset nnz, int threads) noexcept;

// The share of forecast_seconds() that a better order could avoid, because the path has more
// columns than three times the largest column's entries. In a tree that branches well it has 1.1 to
// 2.5 times as many (15 of 16 matrices ordered by METIS).
double avoidable_share(const OrderingCost& cost) noexcept;

// Seconds that an ordering takes on a pattern of so many entries, roughly. Dissection runs on
// `threads`.
double forecast_amd_seconds(Offset nnz) noexcept;
double forecast_metis_seconds(Offset nnz) noexcept;
double forecast_dissection_seconds(Offset nnz, int threads) noexcept;

// The figures behind forecast_seconds(), for the reason of a choice.
std::string describe(const OrderingCost& cost);

}  // namespace lufact
