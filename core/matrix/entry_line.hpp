// SPDX-License-Identifier: BSD-3-Clause
// One line of the body of a Matrix Market file, read with care: the slow half of the parser, for
// lines that are no plain entry and for saying what is wrong with one.
#pragma once
#include <string>
#include <string_view>

#include "core/base/types.hpp"
#include "core/matrix/banner.hpp"

namespace lufact::matrix_market {

struct Entry {
  Index row, col;  // from 0
  double value;    // 1 in a pattern
};

enum class LineKind { entry, idle, fault };

// Reads `line` (no newline). `idle` is a blank line or a comment. On `fault`, `fault` says what is
// wrong; else it is untouched. Row and column lie in 1..n.
LineKind read_line(std::string_view line, Field field, Index n, Entry& entry, std::string& fault);

// A word as a double: an optional sign, digits with an optional point, and an exponent after e, E,
// d or D. Where the value is too small for a double it becomes 0 or denormal. Returns what is wrong
// ("is not a number", "is not finite", "does not fit in a double"), or nothing.
std::string_view read_real(std::string_view word, double& value);

// A word of digits with an optional sign, of any length; rounded where it needs more than 53 bits.
std::string_view read_integer(std::string_view word, double& value);

}  // namespace lufact::matrix_market
