// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_dry_run.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "app/config/invocation.hpp"
#include "app/sweep/sweep_progress.hpp"
#include "core/report/result_writer.hpp"

namespace lufact {
namespace {

using KnownTimes = std::map<std::pair<std::string, std::string>, double>;

KnownTimes known_times(const std::string& output) {
  KnownTimes times;
  for (const RunRecord& run : read_earlier_runs(output)) {
    if (run.sweep && run.sweep->elapsed_s) {
      times.emplace(std::pair(run.sweep->matrix, run.sweep->variant), *run.sweep->elapsed_s);
    }
  }
  return times;
}

std::string origin_of(const PlannedInput& planned) {
  const SweepInput& entry = *planned.entry;
  std::string text = planned.input.path;
  if (!planned.missing.empty()) {
    text = "missing: " + planned.missing;
  } else if (entry.generator) {
    text = "generated: " + entry.generator->kind;
    for (const auto& [name, value] : entry.generator->sizes) {
      text += fmt::format(" --{} {}", name, value);
    }
    text += fmt::format(" --seed {}", entry.generator->seed);
  }
  if (entry.stand_in_for) text += ", stands in for " + *entry.stand_in_for;
  return text;
}

std::string options_of(const PlannedRun& run) {
  std::string text;
  for (const auto& [key, value] : run.options) {
    text += value == "true" ? " --" + key : fmt::format(" --{} {}", key, value);
  }
  return text;
}

std::string forecast_of(const PlannedRun& run, Forecaster* forecaster) {
  return forecaster == nullptr ? "" : forecaster->of(*run.plan);
}

void print_input(const SweepRequest& request, const SweepPlan& sweep, const PlannedInput& planned,
                 const KnownTimes& times) {
  fmt::print("\n{} ({})\n", planned.entry->name, origin_of(planned));
  std::unique_ptr<Forecaster> forecaster;
  if (request.forecast && planned.missing.empty()) {
    forecaster = sweep.config.workload->forecaster(planned.input, sweep.machine);
  }
  for (const PlannedRun& run : planned.runs) {
    fmt::print("  {:<16} {}{}\n", run.variant->name, run.plan->steps, options_of(run));
    const std::string forecast = forecast_of(run, forecaster.get());
    if (!forecast.empty()) fmt::print("  {:<16} {}\n", "", forecast);
    const auto time = times.find({planned.entry->name, run.variant->name});
    if (time != times.end()) {
      fmt::print("  {:<16} took {} before\n", "", format_duration(time->second));
    }
  }
}

}  // namespace

int print_dry_run(const SweepRequest& request, const Workloads& workloads) {
  const SweepPlan sweep = plan_sweep(request, workloads);
  const std::string output = output_of_sweep(request, sweep.config);
  const KnownTimes times = known_times(output);
  fmt::print("{}{}{}\n{} {}, {} variants, {} runs into {}\n", sweep.config.name,
             sweep.config.purpose.empty() ? "" : ": ", sweep.config.purpose, sweep.inputs.size(),
             sweep.config.workload->inputs_key(), sweep.config.variants.size(), sweep.run_count(),
             output);
  double seconds = 0;
  std::size_t known = 0;
  for (const PlannedInput& planned : sweep.inputs) {
    print_input(request, sweep, planned, times);
    for (const PlannedRun& run : planned.runs) {
      const auto time = times.find({planned.entry->name, run.variant->name});
      if (time == times.end()) continue;
      seconds += time->second;
      ++known;
    }
  }
  fmt::print("\n{} of {} runs have been measured before and took {} together\n", known,
             sweep.run_count(), format_duration(seconds));
  return exit_status::ok;
}

}  // namespace lufact
