// SPDX-License-Identifier: BSD-3-Clause
// The options of a run on the command line, for every command that configures runs.
#pragma once
#include <CLI/CLI.hpp>

#include "app/config/accepted_names.hpp"
#include "app/config/run_config.hpp"

namespace lufact {

// Adds every option of `lufact run`; --help tells the accepted names. `config` must outlive the
// parser.
void add_run_options(CLI::App& command, RunConfig& config, AcceptedNames names);

// Adds those that a sweep sets for each variant: all but the ones of the whole invocation.
void add_variant_options(CLI::App& command, RunConfig& config);

// After parsing: applies --profile and checks the whole. Throws UsageError.
void complete_config(const CLI::App& command, RunConfig& config);

}  // namespace lufact
