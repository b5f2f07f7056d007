// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/manual/help_page.hpp"
#include "app/manual/man_page.hpp"
#include "core/report/build_info.hpp"

namespace lufact {
namespace {

void print_help_pages(const CommandFacts& command, int width) {
  fmt::print("{}\n{}\n", std::string(static_cast<std::size_t>(width), '-'),
             help_page(command, width));
  for (const CommandFacts& below : command.commands) print_help_pages(below, width);
}

}  // namespace

Command add_man_command(CLI::App& app, ProgramFacts facts) {
  const auto plain = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("man", "Print the manual page, for man -l -");
  command->add_flag("--plain", *plain, "The help of every command instead, as plain text");
  command->footer(
      "Examples:\n"
      "  lufact man | man -l -\n"
      "  lufact man --plain | less");
  return {command, [plain, facts = std::move(facts)] {
            if (*plain) {
              print_help_pages(facts(), help_width());
            } else {
              fmt::print("{}", man_page(facts(), build_info().version));
            }
            return exit_status::ok;
          }};
}

}  // namespace lufact
