// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lufact {

// What is wrong with a command line that the parser has refused with `error`, and what may have
// been meant. `words`: as typed, the program's name first.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& words);

// That the first word is no command, where help is asked for with it; the parser takes no notice.
std::optional<std::string> unknown_command_message(const CLI::App& app,
                                                   const std::vector<std::string>& words);

}  // namespace lufact
