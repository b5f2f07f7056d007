// SPDX-License-Identifier: BSD-3-Clause
// What a factorization in a given order will take, for choices between orders.
#pragma once
#include <string>

#include "core/preprocess/ordering_cost.hpp"

namespace lufact {

// Seconds of one factorization on a device that works on all columns that are ready at once: every
// column of the longest path waits for the one before it, and all share the arithmetic. The rates
// are those of a multifrontal factorization in tiles on an H200. Only the ratio of two forecasts is
// meant to be trusted.
double forecast_seconds(const OrderingCost& cost) noexcept;

// Seconds that the orderings take on a pattern of so many entries, roughly: dissection on so many
// threads.
double forecast_amd_seconds(Offset nnz) noexcept;
double forecast_dissection_seconds(Offset nnz, int threads) noexcept;

// The figures behind a forecast, for the reason of a choice.
std::string describe(const OrderingCost& cost);

}  // namespace lufact
