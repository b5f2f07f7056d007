// SPDX-License-Identifier: BSD-3-Clause
#include "app/manual/completion.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"

namespace lufact {
namespace {

int print_completion(const std::string& shell, const CommandFacts& program) {
  if (shell == "bash") fmt::print("{}", bash_completion(program));
  if (shell == "zsh") fmt::print("{}", zsh_completion(program));
  if (shell == "fish") fmt::print("{}", fish_completion(program));
  return exit_status::ok;
}

}  // namespace

Command add_completion_command(CLI::App& app, ProgramFacts facts) {
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print the completion script of a shell: bash, zsh or fish");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(one_of(shells))
      ->type_name("bash|zsh|fish");
  command->footer(
      "Examples:\n"
      "  source <(lufact completion bash)\n"
      "  lufact completion zsh > ~/.zfunc/_lufact\n"
      "  lufact completion fish > ~/.config/fish/completions/lufact.fish");
  return {command, [shell, facts = std::move(facts)] { return print_completion(*shell, facts()); }};
}

}  // namespace lufact
