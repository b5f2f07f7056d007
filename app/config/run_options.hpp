// SPDX-License-Identifier: BSD-3-Clause
// The options of a run, for every command that configures runs.
#pragma once
#include <CLI/CLI.hpp>

#include "app/config/run_config.hpp"

namespace lufact {

// Adds the options that say how a variant runs and is measured: all but those that name matrices,
// modes and the output. `config` must outlive the parser.
void add_variant_options(CLI::App& command, RunConfig& config);

// After parsing: applies --profile, fills in what follows from other options and checks the whole.
// Throws UsageError.
void complete_config(const CLI::App& command, RunConfig& config);

}  // namespace lufact
