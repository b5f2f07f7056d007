// SPDX-License-Identifier: BSD-3-Clause
// The matrices of implicit steps of reaction networks.
#pragma once
#include <cstdint>

#include "core/batch/batch_input.hpp"

namespace lufact {

inline constexpr Index least_kinetics_order = 2, largest_kinetics_order = 32;

// I - hJ for `count` networks of n species and 2n reactions by mass action, each at concentrations
// and with a step h of its own; J is the Jacobian of the rates. Rate constants span twelve orders
// of magnitude and concentrations six: the systems are stiff, entries far apart and mostly zero,
// rows are not ordered by size. n from least_ to largest_kinetics_order.
GivenMatrices kinetics_matrices(Index n, Offset count, std::uint64_t seed);

}  // namespace lufact
