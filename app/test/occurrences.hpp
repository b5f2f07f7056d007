// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

namespace lufact::test {

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t p = text.find(part); p != text.npos; p = text.find(part, p + 1)) ++count;
  return count;
}

}  // namespace lufact::test
