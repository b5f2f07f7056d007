// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lufact {

// What is wrong with a command line that the parser has refused with `error`, and what may have
// been meant. `words`: as typed, the program's name first.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& words);

}  // namespace lufact
