// SPDX-License-Identifier: BSD-3-Clause
// The subcommands, beside those that workloads bring.
#pragma once
#include <string>
#include <vector>

#include "app/workload/workload.hpp"

namespace lufact {

// `argv` is kept for the record. `workloads` must outlive the command.
Command add_sweep_command(CLI::App& app, const Workloads& workloads, std::vector<std::string> argv);
Command add_list_command(CLI::App& app);
Command add_describe_command(CLI::App& app);
Command add_plot_command(CLI::App& app);
Command add_generate_command(CLI::App& app);
Command add_doctor_command(CLI::App& app);
Command add_validate_command(CLI::App& app, const Workloads& workloads);
Command add_compare_command(CLI::App& app);
Command add_calibrate_command(CLI::App& app);

}  // namespace lufact
