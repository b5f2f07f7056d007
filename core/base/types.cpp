// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/types.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.hpp"

namespace lufact {

std::string_view to_string(Precision precision) noexcept {
  return precision == Precision::float32 ? "float" : "double";
}

std::size_t checked_bytes(Offset count, std::size_t size) {
  if (count < 0 || (size != 0 && static_cast<std::uint64_t>(count) >
                                     std::numeric_limits<std::size_t>::max() / size)) {
    throw Error(Outcome::oom_host, "size_overflow",
                fmt::format("an array of {} elements of {} bytes is beyond the address space",
                            count, size));
  }
  return static_cast<std::size_t>(count) * size;
}

Index checked_index(Offset value, std::string_view what) {
  if (value < 0 || value > std::numeric_limits<Index>::max()) {
    throw Error(Outcome::unsupported, "index_overflow",
                fmt::format("{} is {}, beyond the 32-bit index range", what, value));
  }
  return static_cast<Index>(value);
}

}  // namespace lufact
