// SPDX-License-Identifier: BSD-3-Clause
// The subcommands. Each adds itself to the parser and, when it was chosen, does its work and
// returns the exit status.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace lufact {

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

// `argv` is kept for the record.
Command add_run_command(CLI::App& app, std::vector<std::string> argv);
Command add_sweep_command(CLI::App& app, std::vector<std::string> argv);
Command add_list_command(CLI::App& app);
Command add_describe_command(CLI::App& app);
Command add_generate_command(CLI::App& app);
Command add_doctor_command(CLI::App& app);
Command add_validate_command(CLI::App& app);
Command add_compare_command(CLI::App& app);
Command add_calibrate_command(CLI::App& app);

}  // namespace lufact
