// SPDX-License-Identifier: BSD-3-Clause
// Integer types of the whole project and checked arithmetic on sizes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lufact {

using Index = std::int32_t;   // a row or column number
using Offset = std::int64_t;  // a position among nonzeros; counts of nonzeros

// A position as the index of a standard container; positions are never negative.
constexpr std::size_t at(Offset position) noexcept {
  return static_cast<std::size_t>(position);
}

enum class Precision { float32, float64 };

// "float" or "double", as the command line and the result file spell it.
std::string_view to_string(Precision precision) noexcept;

// count * size in bytes. Throws Error{oom_host, "size_overflow"} where it does not fit in size_t
// or count is negative, so that the overflow is met before any allocation.
std::size_t checked_bytes(Offset count, std::size_t size);

// Narrows an offset to an Index; throws Error{unsupported, "index_overflow"} naming `what`.
Index checked_index(Offset value, std::string_view what);

}  // namespace lufact
