// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/calibrate/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "app/commands/commands.hpp"
#include "app/config/command_line.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/machine_options.hpp"
#include "app/config/option_values.hpp"
#include "app/config/rates_file.hpp"
#include "app/config/typed_values.hpp"
#include "core/base/error.hpp"
#include "core/report/result_file.hpp"

namespace lufact {
namespace {

using nlohmann::ordered_json;

struct CalibrateOptions {
  std::optional<std::string> output;
  bool json = false, quiet = false;
  int device = 0, threads = 0;
};

void visit_options(auto&& option, Is<CalibrateOptions> auto& options) {
  using namespace option_groups;
  visit_device(option, options.device);
  option(Option{"--threads", "threads", machine, "Threads of the host's stages; 0: all"},
         options.threads, range_of_threads);
}

std::string machine_name(const Machine& machine, int threads) {
  const std::string device = machine.device ? machine.device->name : "no device";
  return fmt::format("{} with {}, {} threads", machine.host.cpu_model, device, threads);
}

ordered_json steps_to_json(const Calibration& calibration) {
  ordered_json measured = ordered_json::array(), skipped = ordered_json::array();
  for (const RateMeasurement& one : calibration.measurements) {
    measured.push_back({{"step", one.step},
                        {"matrix", one.matrix},
                        {"shipped_forecast_s", one.forecast_s},
                        {"measured_s", one.measured_s}});
  }
  for (const SkippedStep& step : calibration.skipped) {
    skipped.push_back({{"step", step.step}, {"reason", step.reason}});
  }
  return {{"measured", std::move(measured)}, {"skipped", std::move(skipped)}};
}

ordered_json file_of(const Calibration& calibration, const Machine& machine, int threads) {
  ordered_json file = to_json(calibration.rates);
  file["machine"] = machine_to_json(machine);
  file["threads"] = threads;
  file["measured_at"] = utc_timestamp(std::chrono::system_clock::now());
  file["elapsed_s"] = calibration.elapsed_s;
  file["lufact"] = {{"version", build_info().version}, {"git_sha", build_info().git_sha}};
  file["steps"] = steps_to_json(calibration);
  return file;
}

// --output, or the file that runs of this user take.
std::filesystem::path output_path(const CalibrateOptions& options) {
  if (options.output) return *options.output;
  const auto file = user_rates_file();
  if (!file) throw UsageError("no home folder to write rates to; name a file with --output");
  std::error_code ignored;  // require_writable() says what is wrong
  std::filesystem::create_directories(file->parent_path(), ignored);
  return *file;
}

void write_file(const std::filesystem::path& path, const ordered_json& file) {
  std::ofstream stream(path);
  stream << file.dump(1) << "\n";
  stream.flush();
  if (stream) return;
  throw Error(Outcome::error, "cannot_write", fmt::format("{}: cannot be written", path.string()));
}

int run_calibrate(const CalibrateOptions& options) {
  visit_options(RangeCheck{}, options);
  const bool writes = options.output || !options.json;
  const std::filesystem::path path = writes ? output_path(options) : std::filesystem::path();
  if (writes) require_writable("--output", path.string());
  const Machine machine = query_machine_in_child(options.device);
  const int threads = effective_threads(options.threads);
  omp_set_num_threads(threads);
  const auto report = [&](const std::string& what) {
    if (!options.quiet) fmt::print(stderr, "lufact: calibrate: {}\n", what);
  };
  Calibration found = calibrate({.threads = threads, .device = options.device}, machine, report);
  found.rates.name = machine_name(machine, threads);
  const ordered_json file = file_of(found, machine, threads);
  if (options.json) fmt::print("{}\n", file.dump(2));
  if (writes) write_file(path, file);
  if (options.json || options.quiet) return 0;
  for (const SkippedStep& step : found.skipped) {
    fmt::print("as shipped  {}: {}\n", step.step, step.reason);
  }
  fmt::print("rates       {} in {:.1f} s\n", found.rates.origins(), found.elapsed_s);
  fmt::print("written to  {}{}\n", path.string(),
             options.output ? "; runs take it with LUFACT_RATES" : "; runs take it from there");
  return 0;
}

}  // namespace

Command add_calibrate_command(CLI::App& app) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure the rates of this machine, for forecasts and choices");
  command
      ->add_option("--output", options->output,
                   "File to write (default: lufact/rates.json in the user's configuration "
                   "folder, where runs find it)")
      ->type_name("FILE");
  command->add_flag("--json", options->json,
                    "The file to stdout; without --output no file is written");
  visit_options(CommandLine(*command, {}, true), *options);
  command->add_flag("--quiet", options->quiet, "Only errors");
  return {command, [options] { return run_calibrate(*options); }};
}

}  // namespace lufact
