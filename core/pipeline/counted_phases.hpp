// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <string_view>

namespace lufact {

// The phases of a sparse run whose seconds add up to a sample's total, in the order in which tables
// show them.
inline constexpr std::array<std::string_view, 7> sparse_counted_phases{
    "scale", "order", "symbolic", "levelize", "numeric", "solve", "transfer"};

}  // namespace lufact
