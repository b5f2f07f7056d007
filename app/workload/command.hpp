// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lufact {

// A subcommand that has added itself to the parser. When it was chosen, `run` does its work and
// returns the exit status.
struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
  // What options accept that their declarations do not list, for completions: by "--ordering".
  std::map<std::string, std::vector<std::string>> accepted{};
};

}  // namespace lufact
