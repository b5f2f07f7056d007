// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "app/config/machine_json.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/generate/matrix_market_writer.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr const char* matrix_endings[] = {"", ".mtx", ".mtx.gz", ".mtx.xz", ".tar.gz", ".tgz"};

PlannedRun plan_run(const SweepPlan& sweep, const SweepMatrix& matrix,
                    const SweepVariant& variant) {
  try {
    PlannedRun run;
    run.variant = &variant;
    run.options = options_of_run(sweep.config, matrix, variant);
    const RunConfig config = run_config_of(variant.mode, run.options);
    run.plan = plan_variants(sweep.catalogue, config, sweep.machine).at(0);
    return run;
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("matrix '{}', variant '{}': {}", matrix.name, variant.name, error.what()));
  }
}

PlannedMatrix place_generated(const SweepRequest& request, const SweepMatrix& matrix) {
  return {
      &matrix, (fs::path(request.output_dir) / "inputs" / (matrix.name + ".mtx")).string(), "", {}};
}

// The file, or its stand-in where there is none, or word of what is missing.
PlannedMatrix place_input(const SweepRequest& request, const SweepMatrixEntry& entry) {
  if (entry.matrix.generator) return place_generated(request, entry.matrix);
  const std::string path = find_matrix_file(entry.matrix.file, request.matrix_dirs);
  if (!path.empty()) return {&entry.matrix, path, "", {}};
  if (entry.stand_in) return place_generated(request, *entry.stand_in);
  PlannedMatrix planned{&entry.matrix, entry.matrix.file, "", {}};
  planned.missing = fmt::format(
      "{} is in no folder of --matrix-dir ({}), as .mtx, .mtx.gz, .mtx.xz or .tar.gz; fetch it or "
      "name its folder",
      entry.matrix.file, fmt::join(request.matrix_dirs, ", "));
  return planned;
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
  for (const PlannedMatrix& planned : matrices) count += planned.runs.size();
  return count;
}

SweepPlan plan_sweep(const SweepRequest& request) {
  check_segments(request);
  SweepPlan sweep;
  sweep.config = read_sweep_config(request.config_path);
  for (const auto& [key, value] : request.overrides) sweep.config.options[key] = value;
  sweep.config.options["device"] = fmt::format("{}", request.device);
  sweep.catalogue = make_catalogue();
  sweep.machine = query_machine_in_child(request.device);
  for (std::size_t k = 0; k < sweep.config.matrices.size(); ++k) {
    const SweepMatrixEntry& entry = sweep.config.matrices[k];
    PlannedMatrix planned = place_input(request, entry);
    for (const SweepVariant& variant : sweep.config.variants) {
      if (!sweep.config.excludes(entry, variant)) {
        planned.runs.push_back(plan_run(sweep, *planned.matrix, variant));
      }
    }
    const bool ours =
        k % static_cast<std::size_t>(request.segments) == static_cast<std::size_t>(request.segment);
    if (!ours || planned.runs.empty()) continue;
    sweep.matrices.push_back(std::move(planned));
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

std::string find_matrix_file(const std::string& file, const std::vector<std::string>& folders) {
  const std::string base = file.substr(file.find_last_of('/') + 1);
  for (const std::string& folder : folders) {
    for (const fs::path& stem :
         {fs::path(folder) / file, fs::path(folder) / base, fs::path(folder) / base / base}) {
      for (const char* ending : matrix_endings) {
        const std::string path = stem.string() + ending;
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) return path;
      }
    }
  }
  return "";
}

void make_input(const PlannedMatrix& planned) {
  const GeneratorFacts& facts = *planned.matrix->generator;
  std::ifstream existing(planned.path);
  std::string banner, comment;
  std::getline(existing, banner);
  std::getline(existing, comment);
  if (comment == generator_comment(facts)) return;  // files appear whole or not at all
  fs::create_directories(fs::path(planned.path).parent_path());
  write_matrix_market(planned.path, generate_matrix(facts), facts);
}

}  // namespace lufact
