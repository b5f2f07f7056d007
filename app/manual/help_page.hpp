// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "app/manual/command_facts.hpp"

namespace lufact {

// Columns of the terminal at standard output (or COLUMNS), at most 100; 80 where there is none.
int help_width();

// --help of one command, broken at `width` columns: what it does, how it is typed, its options in
// their groups, its commands, its examples.
std::string help_page(const CommandFacts& command, int width);

// How the parser shows a command: help_page() in the width of the terminal.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string path, CLI::AppFormatMode) const override {
    return help_page(command_facts(*app, path, {}), help_width());
  }
};

}  // namespace lufact
