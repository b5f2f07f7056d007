// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/format_count.hpp"

#include <fmt/format.h>

namespace lufact {

std::string format_count(Offset count) {
  std::string text = fmt::format("{}", count);
  const std::size_t first_digit = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace lufact
