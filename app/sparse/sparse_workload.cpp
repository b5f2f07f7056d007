// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/sparse_workload.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "app/config/command_line.hpp"
#include "app/config/option_schema.hpp"
#include "app/config/run_options.hpp"
#include "app/input/collection.hpp"
#include "app/input/matrix_files.hpp"
#include "app/run/supervisor.hpp"
#include "app/sparse/peer_worker.hpp"
#include "app/sparse/pipeline_assistant.hpp"
#include "app/sparse/pipeline_worker.hpp"
#include "app/sparse/sparse_forecaster.hpp"
#include "app/sparse/sparse_plan.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/generate/matrix_market_writer.hpp"
#include "core/report/run_header.hpp"
#include "core/report/systems_rate.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

// What `lufact run --mode MODE` makes of the options.
RunConfig run_config_of(const std::string& mode, const OptionTexts& options) {
  RunConfig config;
  config.modes = {mode};
  CLI::App parser;
  add_variant_options(parser, config);
  for (const char* option : {"write-solution", "write-permutation"}) {
    if (!options.contains(option)) continue;
    throw UsageError(std::string(option) + " names one file; leave it out");
  }
  parse_texts(parser, options);
  complete_config(parser, config);
  return config;
}

SupervisedRuns runs_of(const SparseWorkload& workload, const Catalogue& catalogue,
                       const RunConfig& config) {
  SupervisedRuns runs{.workload = workload};
  for (const std::string& path : config.matrices) runs.inputs.push_back({file_stem(path), path});
  runs.plan = [&](const Machine& machine) {
    const std::string absent = find_absent_device(config.gsofa, machine);
    if (!absent.empty()) throw UsageError(absent);
    return plan_variants(catalogue, config, machine);
  };
  runs.config = to_json(config);
  runs.output = config.output;
  runs.resume = config.resume;
  runs.device = config.device;
  runs.seed = config.seed;
  runs.quiet = config.quiet;
  return runs;
}

}  // namespace

SparseWorkload::SparseWorkload(Catalogue catalogue) : catalogue_(std::move(catalogue)) {}

WorkloadFacts SparseWorkload::facts() const {
  return sparse_facts();
}

Command SparseWorkload::add_command(CLI::App& app, std::vector<std::string> argv) const {
  const auto config = std::make_shared<RunConfig>();
  CLI::App* command = app.add_subcommand("run", "Factor matrices, verify, measure every step");
  command->footer(
      "Examples:\n"
      "  lufact run matrix.mtx\n"
      "  lufact run *.mtx --mode fast,cpu --peer klu,umfpack --output mine.json\n"
      "  lufact run matrix.mtx --ordering colamd --refactor 100\n"
      "  lufact run matrix.mtx --mode ooc --device-memory-limit 1GiB --timeout 600");
  AcceptedNames names = accepted_names(catalogue_);
  add_run_options(*command, *config, names);
  return {command,
          [this, command, config, argv = std::move(argv)] {
            complete_config(*command, *config);
            for (std::string& matrix : config->matrices) matrix = path_of_matrix(matrix);
            return supervise(runs_of(*this, catalogue_, *config), argv);
          },
          std::move(names)};
}

FoundInput SparseWorkload::find_input(const std::string& name, const std::string& file,
                                      const std::vector<std::string>& folders) const {
  const std::string path = find_matrix_file(file, folders);
  if (!path.empty()) return {{name, path}, ""};
  return {{name, file}, missing_matrix_file(file, folders)};
}

GeneratorFacts SparseWorkload::complete(const GeneratorFacts& facts) const {
  return complete_generator_facts(facts);
}

Input SparseWorkload::generated_input(const std::string& name, const GeneratorFacts& facts,
                                      const std::string& folder) const {
  return {name, (fs::path(folder) / (name + ".mtx")).string(), facts};
}

void SparseWorkload::make_input(const Input& input) const {
  std::ifstream existing(input.path);
  std::string banner, comment;
  std::getline(existing, banner);
  std::getline(existing, comment);
  if (comment == generator_comment(*input.generator)) return;  // files appear whole or not at all
  fs::create_directories(fs::path(input.path).parent_path());
  write_matrix_market(input.path, generate_matrix(*input.generator), *input.generator);
}

InputHash SparseWorkload::hash(const Input& input) const {
  return hash_of_file(input.path);
}

nlohmann::ordered_json SparseWorkload::options_schema() const {
  return schema_of_options(RunConfig());
}

std::unique_ptr<const VariantPlan> SparseWorkload::plan(const std::string& mode,
                                                        const OptionTexts& options,
                                                        const Machine& machine) const {
  return std::move(plan_variants(catalogue_, run_config_of(mode, options), machine).at(0));
}

RunRecord SparseWorkload::begin_record(const VariantPlan& plan, const Input& input,
                                       const std::string& sha256) const {
  RunRecord record = plan.record;
  record.id = run_id(static_cast<const SparsePlan&>(plan), sha256);
  record.matrix->path = input.path;
  record.matrix->name = file_stem(input.path);
  record.matrix->sha256 = sha256;
  record.input = input_of(*record.matrix);
  return record;
}

void SparseWorkload::complete_records(std::span<RunRecord> runs) const {
  for (RunRecord& run : runs) set_systems_rate(run);
}

std::unique_ptr<Forecaster> SparseWorkload::forecaster(const Input& input,
                                                       const Machine& machine) const {
  return make_sparse_forecaster(catalogue_, input, machine);
}

std::unique_ptr<VariantWorker> SparseWorkload::make_worker(const OpenRequest& request) const {
  if (request.variant.contains("peer")) return make_peer_worker(request);
  return make_pipeline_worker(catalogue_, request);
}

std::unique_ptr<RankAssistant> SparseWorkload::make_assistant(const OpenRequest& request) const {
  return make_pipeline_assistant(catalogue_, request);
}

}  // namespace lufact
