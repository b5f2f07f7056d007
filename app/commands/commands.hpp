// SPDX-License-Identifier: BSD-3-Clause
// The subcommands, beside those that workloads bring.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/manual/command_facts.hpp"
#include "app/workload/workload.hpp"

namespace lufact {

// `argv` is kept for the record. `workloads` must outlive the command.
Command add_sweep_command(CLI::App& app, const Workloads& workloads, std::vector<std::string> argv);
Command add_list_command(CLI::App& app);
Command add_fetch_command(CLI::App& app);
Command add_describe_command(CLI::App& app);
Command add_plot_command(CLI::App& app);
Command add_generate_command(CLI::App& app);
Command add_doctor_command(CLI::App& app);
Command add_validate_command(CLI::App& app, const Workloads& workloads);
Command add_compare_command(CLI::App& app);
Command add_calibrate_command(CLI::App& app);
// `facts`: of the whole program, once every command is there.
using ProgramFacts = std::function<CommandFacts()>;
Command add_completion_command(CLI::App& app, ProgramFacts facts);
Command add_man_command(CLI::App& app, ProgramFacts facts);
Command add_show_command(CLI::App& app, const Workloads& workloads);

}  // namespace lufact
