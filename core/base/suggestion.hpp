// SPDX-License-Identifier: BSD-3-Clause
// What somebody may have meant who wrote a name that is not known.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lufact {

// Fewest letters to put in, take out or replace, or neighbours to interchange, that make `b` of `a`
// (restricted Damerau-Levenshtein distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name of `known` that `word` begins, or else the nearest one within a third of its letters;
// the first of several. Empty where none is near.
std::string nearest_name(std::string_view word, const std::vector<std::string>& known);

// " (did you mean 'NAME'?)" for the middle of a message, or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace lufact
