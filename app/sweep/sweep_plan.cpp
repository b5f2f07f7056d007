// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_plan.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/config/machine_json.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

PlannedRun plan_run(const SweepPlan& sweep, const PlannedInput& planned,
                    const SweepVariant& variant) {
  const SweepInput& input = *planned.entry;
  try {
    PlannedRun run;
    run.variant = &variant;
    run.options = options_of_run(sweep.config, input, variant);
    run.plan = sweep.config.workload->plan(variant.mode, run.options, sweep.machine);
    sweep.config.workload->check(*run.plan, planned.input);
    return run;
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("matrix '{}', variant '{}': {}", input.name, variant.name, error.what()));
  }
}

PlannedInput place_generated(const SweepRequest& request, const Workload& workload,
                             const SweepInput& entry) {
  const std::string folder = (fs::path(request.output_dir) / "inputs").string();
  return {&entry, workload.generated_input(entry.name, *entry.generator, folder), "", {}};
}

// The file, or its stand-in where there is none, or word of what is missing.
PlannedInput place_input(const SweepRequest& request, const Workload& workload,
                         const SweepInputEntry& entry) {
  const SweepInput& wanted = entry.input;
  if (wanted.generator) return place_generated(request, workload, wanted);
  FoundInput found = workload.find_input(wanted.name, wanted.file, request.matrix_dirs);
  if (!found.missing.empty() && entry.stand_in) {
    return place_generated(request, workload, *entry.stand_in);
  }
  return {&wanted, std::move(found.input), std::move(found.missing), {}};
}

void check_segments(const SweepRequest& request) {
  if (request.segments < 1) throw UsageError("--segments is out of range; accepted: 1 or more");
  if (request.segment < 0 || request.segment >= request.segments) {
    throw UsageError(
        fmt::format("--segment {} is out of range; accepted: 0 to {}, below --segments",
                    request.segment, request.segments - 1));
  }
}

// The first form of the result file `plain` that an earlier invocation left; empty without one.
std::string earlier_output(const std::string& plain) {
  for (const char* ending : {"", ".gz", ".xz"}) {
    std::error_code ignored;
    if (fs::exists(plain + ending, ignored)) return plain + ending;
  }
  return "";
}

}  // namespace

std::size_t SweepPlan::run_count() const {
  std::size_t count = 0;
  for (const PlannedInput& planned : inputs) count += planned.runs.size();
  return count;
}

SweepPlan plan_sweep(const SweepRequest& request, const Workloads& workloads) {
  check_segments(request);
  SweepPlan sweep;
  sweep.config = read_sweep_config(request.config_path, workloads);
  for (const auto& [key, value] : request.overrides) sweep.config.options[key] = value;
  sweep.config.options["device"] = fmt::format("{}", request.device);
  sweep.machine = query_machine_in_child(request.device);
  for (std::size_t k = 0; k < sweep.config.inputs.size(); ++k) {
    const SweepInputEntry& entry = sweep.config.inputs[k];
    PlannedInput planned = place_input(request, *sweep.config.workload, entry);
    for (const SweepVariant& variant : sweep.config.variants) {
      if (!sweep.config.excludes(entry, variant)) {
        planned.runs.push_back(plan_run(sweep, planned, variant));
      }
    }
    const bool ours =
        k % static_cast<std::size_t>(request.segments) == static_cast<std::size_t>(request.segment);
    if (!ours || planned.runs.empty()) continue;
    sweep.inputs.push_back(std::move(planned));
  }
  return sweep;
}

std::string output_of_sweep(const SweepRequest& request, const SweepConfig& config) {
  const std::string segment =
      request.segments == 1 ? ""
                            : fmt::format(".segment-{}-of-{}", request.segment, request.segments);
  const std::string plain =
      (fs::path(request.output_dir) / (config.name + segment + ".json")).string();
  const std::string wanted = request.compress.empty() ? plain : plain + "." + request.compress;
  const std::string earlier = earlier_output(plain);
  if (earlier.empty() || earlier == wanted) return wanted;
  if (request.compress.empty()) return earlier;
  throw UsageError(fmt::format(
      "--compress {}: {} is there already; without --compress the sweep goes on with it; another "
      "--output-dir begins anew",
      request.compress, earlier));
}

}  // namespace lufact
