// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_workload.hpp"

#include <utility>

#include "app/array/array_commands.hpp"
#include "app/config/command_line.hpp"
#include "app/config/option_schema.hpp"
#include "app/config/peer_names.hpp"
#include "app/dense/dense_source.hpp"
#include "app/dense/dense_worker.hpp"
#include "core/base/error.hpp"
#include "core/report/dense_figures.hpp"

namespace lufact {
namespace {

HelpTexts help_texts(const ArrayStages& stages) {
  return {
      .names = {{"--variant", array_variant_names(stages)},
                {"--input", accepted_dense_inputs()},
                {"--peer", all_peer_plugins(PeerKind::array)}},
      .help = {{"--peer",
                "Foreign libraries to run beside the variants, comma-separated; lufact list has "
                "their variants"},
               {"--verify",
                "The whole product up to order 2048, 16 vectors above; full: the product always; "
                "or nothing"},
               {"--threshold", "Largest error that is ok [30 eps; solve: times the order]"},
               {"--seed", "Of generated matrices and right-hand sides"},
               {"--record-profile",
                "Seconds of the parts of a variant on the GPU, in one more repetition"}}};
}

void check_all(const DenseConfig& config) {
  check(config);
  check_peers(PeerKind::array, config.peers);
}

std::vector<Input> inputs_of(const ArrayStages& stages, const DenseConfig& config) {
  const std::string text =
      config.input.value_or(works_without_pivoting(stages, config) ? "dominant" : "random");
  std::vector<Input> inputs;
  for (const Index n : config.sizes) inputs.push_back(dense_input(text, n, n, config.seed));
  if (config.rows) {
    inputs.push_back(dense_input(text, *config.rows, *config.columns, config.seed));
  }
  if (inputs.empty()) inputs.push_back(dense_input(text, 0, 0, config.seed));
  return inputs;
}

SupervisedRuns runs_of(const DenseWorkload& workload, const ArrayStages& stages,
                       const DenseConfig& config) {
  SupervisedRuns runs = supervised_runs(workload, config);
  runs.inputs = inputs_of(stages, config);
  runs.plan = [&](const Machine& machine) { return plan_dense_variants(stages, config, machine); };
  return runs;
}

}  // namespace

DenseWorkload::DenseWorkload() : stages_(array_stages_of("dense")) {}

WorkloadFacts DenseWorkload::facts() const {
  return dense_facts();
}

Command DenseWorkload::add_command(CLI::App& app, std::vector<std::string> argv) const {
  return array_command<DenseConfig>(
      app,
      {.name = "dense",
       .description = "Factor or solve with one large dense matrix, square or not",
       .examples = "  lufact dense --n 1000 --output dense.json\n"
                   "  lufact dense --rows 100000 --columns 16 --peer lapack\n"
                   "  lufact dense --n 2000 --operation solve --precision mixed-float",
       .help = help_texts(stages_)},
      [this, argv = std::move(argv)](const DenseConfig& config) {
        check_all(config);
        return supervise(runs_of(*this, stages_, config), argv);
      });
}

nlohmann::ordered_json DenseWorkload::options_schema() const {
  return schema_of_options(DenseConfig());
}

FoundInput DenseWorkload::find_input(const std::string& name, const std::string& file,
                                     const std::vector<std::string>& folders) const {
  return find_array_file(name, file, parse_dense_input(file).path,
                         "FILE.npy, FILE.mtx, front:FILE.mtx", folders, open_dense_input);
}

GeneratorFacts DenseWorkload::complete(const GeneratorFacts& facts) const {
  if (!parse_dense_input(facts.kind).path.empty()) {
    throw UsageError(facts.kind + " is a file; give it as 'file'");
  }
  DenseInputRequest request{.input = facts.kind, .seed = facts.seed};
  bool has_rows = false;
  for (const auto& [name, size] : facts.sizes) {
    if (name != "n" && name != "m") {
      throw UsageError("size '" + name + "' is not known; accepted: m, n, seed");
    }
    has_rows = has_rows || name == "m";
    (name == "m" ? request.m : request.n) = checked_index(size, "a size");
  }
  if (!has_rows) request.m = request.n;
  check_dense_request(request);
  return dense_generator_facts(request);
}

Input DenseWorkload::generated_input(const std::string& name, const GeneratorFacts& facts,
                                     const std::string&) const {
  return {name, "", facts};
}

InputHash DenseWorkload::hash(const Input& input) const {
  return hash_of_array_input(input);
}

std::unique_ptr<const VariantPlan> DenseWorkload::plan(const std::string& mode,
                                                       const OptionTexts& options,
                                                       const Machine& machine) const {
  const auto config = swept_config<DenseConfig>(
      mode, options, {"write-factors", "write-pivots", "write-solution", "n", "rows", "columns"},
      "is not for all runs of a sweep");
  check_all(config);
  return std::move(plan_dense_variants(stages_, config, machine).at(0));
}

RunRecord DenseWorkload::begin_record(const VariantPlan& plan, const Input& input,
                                      const std::string& sha256) const {
  return begin_dense_record(static_cast<const DensePlan&>(plan), input, sha256);
}

void DenseWorkload::check(const VariantPlan& plan, const Input& input) const {
  check_dense(static_cast<const DensePlan&>(plan), input);
}

void DenseWorkload::complete_records(std::span<RunRecord> runs) const {
  for (RunRecord& run : runs) set_dense_figures(run);
}

std::unique_ptr<VariantWorker> DenseWorkload::make_worker(const OpenRequest& request) const {
  return make_dense_worker(stages_, request);
}

}  // namespace lufact
