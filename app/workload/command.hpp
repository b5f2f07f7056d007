// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace lufact {

// A subcommand that has added itself to the parser. When it was chosen, `run` does its work and
// returns the exit status.
struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

}  // namespace lufact
