// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"
#include "app/sweep/sweep_dry_run.hpp"
#include "app/sweep/sweep_schema.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

void add_override(const std::string& text, SweepRequest& request) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  if (key.empty() || key.front() == '-') {
    throw CLI::ValidationError("--option", "accepted: NAME=VALUE, or NAME for a flag, without --");
  }
  request.overrides[key] = equals == std::string::npos ? "true" : text.substr(equals + 1);
}

}  // namespace

Command add_sweep_command(CLI::App& app, const Workloads& workloads,
                          std::vector<std::string> argv) {
  const auto request = std::make_shared<SweepRequest>();
  CLI::App* command =
      app.add_subcommand("sweep", "Run many matrices with many variants, resumable");
  command
      ->add_option("FILE,--config", request->config_path,
                   "What to run (JSON); see configs/README.md")
      ->type_name("FILE");
  command
      ->add_option("--output-dir", request->output_dir,
                   "Folder for NAME.json and for generated inputs")
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      ->add_option("--compress", request->compress,
                   "Write NAME.json.gz or NAME.json.xz; --resume keeps the form that it finds")
      ->check(one_of({"gz", "xz"}))
      ->type_name("gz|xz");
  command
      ->add_option("--matrix-dir", request->matrix_dirs,
                   "Folder(s) in which matrices are looked for")
      ->take_all()
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      ->add_option_function<std::vector<std::string>>(
          "--option",
          [request](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add_override(text, *request);
          },
          "Replaces an entry of the configuration's `options`: repetitions=1")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command->add_flag("--resume", request->resume, "Go on with what the output folder holds");
  command->add_flag("--dry-run", request->dry_run, "Print the runs, their memory and known times");
  command->add_flag("!--no-forecast", request->forecast,
                    "Dry run without predictions, which factor every matrix symbolically");
  command->add_option("--segments", request->segments, "Parts to divide the matrices into")
      ->capture_default_str();
  command->add_option("--segment", request->segment, "The part to run, from 0")
      ->capture_default_str();
  command->add_option("--device", request->device, "CUDA device number")->capture_default_str();
  command->add_flag("--quiet", request->quiet, "No table, no progress; errors are still told");
  const auto schema = std::make_shared<bool>(false);
  command->add_flag("--print-schema", *schema, "Print the JSON Schema of configurations, and end");
  command->footer(
      "Examples:\n"
      "  lufact sweep mine.json --dry-run\n"
      "  lufact sweep mine.json --matrix-dir ~/matrices --output-dir results\n"
      "  lufact sweep mine.json --output-dir results --resume");
  return {command, [request, schema, &workloads, argv = std::move(argv)] {
            if (*schema) {
              fmt::print("{}\n", sweep_config_schema(workloads).dump(2));
              return exit_status::ok;
            }
            if (request->config_path.empty()) {
              throw UsageError("--config FILE is missing: it says what to run");
            }
            return request->dry_run ? print_dry_run(*request, workloads)
                                    : run_sweep(*request, workloads, argv);
          }};
}

}  // namespace lufact
