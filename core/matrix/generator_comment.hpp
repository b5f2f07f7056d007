// SPDX-License-Identifier: BSD-3-Clause
// The comment line by which lufact's generator marks the files that it writes.
#pragma once
#include <optional>
#include <string_view>

#include "core/matrix/facts.hpp"

namespace lufact::matrix_market {

// Reads `% lufact generator: {"kind":"grid2d","sizes":{"nx":30,"ny":20},"seed":1}`; blanks between
// the parts and any order of the keys are accepted. Nothing where the line is another comment, or
// is not exactly of this form: a comment never makes a file unreadable.
std::optional<GeneratorFacts> parse_generator_comment(std::string_view line);

}  // namespace lufact::matrix_market
