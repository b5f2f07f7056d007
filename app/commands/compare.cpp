// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "core/base/error.hpp"
#include "core/report/cells.hpp"
#include "core/report/file_comparison.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  std::string a, b;
  std::vector<std::string> phases;  // empty: all
  std::uint64_t seed = 1;
};

// A file that cannot be read is wrong usage here.
Json json_of(const std::string& path) {
  try {
    return read_result_json(path);
  } catch (const Error& failure) {
    throw UsageError(failure.what());
  }
}

Json read_result(const std::string& path) {
  const Json json = json_of(path);
  const auto faults = schema_violations(nlohmann::json(json));
  if (!faults.empty()) {
    throw UsageError(fmt::format(
        "{}: no result file of this version: {}; `lufact validate` lists all that is wrong", path,
        faults.front()));
  }
  return json;
}

std::string device_of(const Json& file) {
  const Json& device = file.at("meta").at("device");
  const Json& name = device.is_null() ? device : device.at("name");
  return name.is_null() ? "no device" : name.get<std::string>();
}

std::string host_of(const Json& file) {
  const Json& model = file.at("meta").at("host").at("cpu_model");
  return model.is_null() ? "unknown CPU" : model.get<std::string>();
}

void print_header(const CompareOptions& options, const Json& a, const Json& b) {
  for (const auto& [label, path, file] :
       {std::tuple{'A', &options.a, &a}, std::tuple{'B', &options.b, &b}}) {
    const Json& meta = file->at("meta");
    fmt::print("{}  {}: {}, {}; commit {:.12}, {}\n", label, *path, device_of(*file),
               host_of(*file), meta.at("lufact").at("git_sha").get<std::string>(),
               meta.at("started_at").get<std::string>());
  }
  if (device_of(a) != device_of(b) || host_of(a) != host_of(b)) {
    fmt::print("The files come from different machines: ratios compare those too.\n");
  }
  fmt::print("ratio = median of A / median of B: above 1, B is faster\n");
}

std::string interval(const RatioEstimate& estimate) {
  if (!estimate.ci_low) return "-";
  return fmt::format("{:.3f} to {:.3f}", *estimate.ci_low, *estimate.ci_high);
}

void print_phases(const std::vector<ComparedPhase>& phases) {
  std::string matrix;
  for (const ComparedPhase& phase : phases) {
    if (phase.matrix != matrix) {
      matrix = phase.matrix;
      fmt::print("\n{:<24} {:<10} {:>10} {:>10} {:>8}  {:<16} {}\n", matrix, "phase", "A", "B",
                 "ratio", "95% interval", "verdict");
    }
    fmt::print("  {:<22} {:<10} {:>10} {:>10} {:>8.3f}  {:<16} {}\n", phase.variant, phase.phase,
               format_seconds(phase.median_a), format_seconds(phase.median_b), phase.estimate.ratio,
               interval(phase.estimate), to_string(phase.estimate.verdict));
  }
}

void print_summaries(const std::vector<ComparedPhase>& phases) {
  fmt::print("\nOver the matrices above\n");
  for (const PhaseSummary& summary : summarize_phases(phases)) {
    const auto count = [&](Verdict verdict) {
      const auto found = summary.verdicts.find(verdict);
      return found == summary.verdicts.end() ? std::size_t{0} : found->second;
    };
    fmt::print(
        "  {:<22} {:<10} geometric mean {:.3f} over n = {} ({:.3f} to {:.3f}): faster {}, same {}, "
        "slower {}, unclear {}\n",
        summary.variant, summary.phase, summary.geometric_mean, summary.n, summary.least,
        summary.largest, count(Verdict::faster), count(Verdict::same), count(Verdict::slower),
        count(Verdict::unclear));
  }
}

int run_compare(const CompareOptions& options) {
  const Json a = read_result(options.a), b = read_result(options.b);
  FileComparison comparison = compare_files(a, b, options.seed);
  std::erase_if(comparison.phases, [&](const ComparedPhase& phase) {
    const auto& wanted = options.phases;
    return !wanted.empty() && std::find(wanted.begin(), wanted.end(), phase.phase) == wanted.end();
  });
  print_header(options, a, b);
  print_phases(comparison.phases);
  if (!comparison.phases.empty()) print_summaries(comparison.phases);
  if (!comparison.notes.empty()) fmt::print("\n");
  for (const std::string& note : comparison.notes) fmt::print("{}\n", note);
  const bool slower = std::any_of(
      comparison.phases.begin(), comparison.phases.end(),
      [](const ComparedPhase& phase) { return phase.estimate.verdict == Verdict::slower; });
  return slower || comparison.outcome_lost ? exit_status::not_ok : exit_status::ok;
}

}  // namespace

Command add_compare_command(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "Two result files, phase by phase: faster, slower, same or unclear; exit status 3 "
      "where something became slower or is no longer ok");
  command->add_option("a", options->a, "Result file to compare with")->required();
  command->add_option("b", options->b, "Result file that is judged")->required();
  command
      ->add_option("--phase", options->phases,
                   "Only these: total_s, scale, order, symbolic, levelize, numeric, solve, ...")
      ->delimiter(',');
  command->add_option("--seed", options->seed, "Of the bootstrap intervals")->capture_default_str();
  return {command, [options] { return run_compare(*options); }};
}

}  // namespace lufact
