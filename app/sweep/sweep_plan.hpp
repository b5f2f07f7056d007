// SPDX-License-Identifier: BSD-3-Clause
// A sweep expanded: every run that it asks for, with its options, its plan and its input.
#pragma once
#include <string>
#include <vector>

#include "app/sweep/sweep_config.hpp"
#include "core/base/machine.hpp"

namespace lufact {

// What the command line says about a sweep.
struct SweepRequest {
  std::string config_path;
  std::string output_dir = "sweep-results";
  std::vector<std::string> matrix_dirs{"matrices"};
  std::string compress;   // "gz", "xz", or empty: as an earlier invocation left the file, or plain
  OptionTexts overrides;  // replace the options of the configuration, not those of its parts
  int device = 0;
  int segments = 1, segment = 0;
  bool resume = false, dry_run = false, forecast = true, quiet = false;
};

struct PlannedRun {
  const SweepVariant* variant = nullptr;
  OptionTexts options;
  std::unique_ptr<const VariantPlan> plan;
};

struct PlannedInput {
  const SweepInput* entry = nullptr;
  Input input;
  std::string missing;  // why there is no such file; empty where there is, or where it can be made
  std::vector<PlannedRun> runs;
};

struct SweepPlan {
  SweepConfig config;
  Machine machine;
  std::vector<PlannedInput> inputs;  // of this segment; those without a run are left out

  std::size_t run_count() const;
};

// Reads the configuration and plans every run. Throws UsageError naming input and variant where
// options or names do not fit.
SweepPlan plan_sweep(const SweepRequest& request, const Workloads& workloads);

// DIR/NAME.json or DIR/NAME.segment-I-of-N.json, with .gz or .xz where it is compressed. Throws
// UsageError where an earlier invocation left it in another form than the one asked for.
std::string output_of_sweep(const SweepRequest& request, const SweepConfig& config);

}  // namespace lufact
