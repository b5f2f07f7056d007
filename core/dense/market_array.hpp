// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/dense/dense_input.hpp"

namespace lufact {

// A Matrix Market file of format `array`: real or integer, general, symmetric or skew-symmetric,
// not compressed. Empty for a file of another format. Throws Error{error, "bad_matrix"} with file
// and line, Error{unsupported, "complex_matrix"}, Error{oom_host, ...}.
std::optional<GivenDense> read_market_array(const std::string& path);

// The same for a text in memory; `name` stands for the file in messages.
std::optional<GivenDense> parse_market_array(std::string_view text, const std::string& name);

}  // namespace lufact
