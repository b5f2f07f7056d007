// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_workload.hpp"

#include <utility>

#include "app/array/array_commands.hpp"
#include "app/batch/batch_source.hpp"
#include "app/batch/batch_worker.hpp"
#include "app/config/command_line.hpp"
#include "app/config/option_schema.hpp"
#include "app/config/peer_names.hpp"
#include "app/config/typed_values.hpp"
#include "core/base/error.hpp"
#include "core/report/batch_figures.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

HelpTexts help_texts(const ArrayStages& stages) {
  return {.names = {{"--variant", array_variant_names(stages)},
                    {"--input", accepted_batch_inputs()},
                    {"--peer", all_peer_plugins(PeerKind::array)}},
          .help = {
              {"--peer",
               "Foreign libraries to run beside the variants, comma-separated; lufact list "
               "has their variants"},
              {"--verify", "Every matrix; full: every one by the second validator too; or nothing"},
              {"--threshold",
               "Largest error that is ok [30 eps of the precision; solve: times the order]"},
              {"--seed", "Of generated matrices and right-hand sides"},
              {"--precision", "Of the matrices"},
              {"--record-profile", "Refused: a batch has no profile"}}};
}

// Blocks and fronts are ordered by a stage, not by a file.
void check_preprocessing(const BatchConfig& config) {
  const Catalogue catalogue = make_catalogue();
  std::vector<std::string> orderings = names_of(catalogue.ordering);
  std::erase(orderings, "file");
  require_known("--scaling", config.scaling, names_of(catalogue.scaling));
  require_known("--ordering", config.ordering, orderings);
}

void check_all(const BatchConfig& config) {
  check(config);
  check_preprocessing(config);
  check_peers(PeerKind::array, config.peers);
}

SupervisedRuns runs_of(const BatchWorkload& workload, const ArrayStages& stages,
                       const BatchConfig& config) {
  SupervisedRuns runs = supervised_runs(workload, config);
  for (const Index size : config.sizes) runs.inputs.push_back(batch_input(config, size));
  if (config.sizes.empty()) runs.inputs.push_back(batch_input(config, std::nullopt));
  runs.plan = [&](const Machine& machine) { return plan_batch_variants(stages, config, machine); };
  return runs;
}

}  // namespace

BatchWorkload::BatchWorkload() : stages_(array_stages_of("batch")) {}

WorkloadFacts BatchWorkload::facts() const {
  return batch_facts();
}

Command BatchWorkload::add_command(CLI::App& app, std::vector<std::string> argv) const {
  return array_command<BatchConfig>(
      app,
      {.name = "batch",
       .description = "Factor, invert or solve with many small dense matrices at once",
       .examples = "  lufact batch --size 4,8 --count 100000 --output batch.json\n"
                   "  lufact batch --size 1..32 --operation inverse --peer lapack\n"
                   "  lufact batch --input blocks:matrix.mtx --size auto --data pinned",
       .help = help_texts(stages_)},
      [this, argv = std::move(argv)](const BatchConfig& config) {
        check_all(config);
        return supervise(runs_of(*this, stages_, config), argv);
      });
}

FoundInput BatchWorkload::find_input(const std::string& name, const std::string& file,
                                     const std::vector<std::string>& folders) const {
  return find_array_file(name, file, parse_batch_input(file).path,
                         "blocks:FILE.mtx, fronts:FILE.mtx, FILE.npy", folders, open_batch_input);
}

GeneratorFacts BatchWorkload::complete(const GeneratorFacts& facts) const {
  if (!parse_batch_input(facts.kind).path.empty()) {
    throw UsageError(facts.kind + " is a file; give it as 'file'");
  }
  for (const auto& [name, size] : facts.sizes) {
    if (name != "n" && name != "count" && name != "floating") {
      throw UsageError("size '" + name + "' is not known; accepted: n, count, floating, seed");
    }
  }
  const BatchInputRequest request = batch_request({}, {.name = "", .path = "", .generator = facts});
  check_batch_request(request);
  return batch_generator_facts(request);
}

Input BatchWorkload::generated_input(const std::string& name, const GeneratorFacts& facts,
                                     const std::string&) const {
  return {name, "", facts};
}

InputHash BatchWorkload::hash(const Input& input) const {
  return hash_of_array_input(input);
}

nlohmann::ordered_json BatchWorkload::options_schema() const {
  return schema_of_options(BatchConfig());
}

std::unique_ptr<const VariantPlan> BatchWorkload::plan(const std::string& mode,
                                                       const OptionTexts& options,
                                                       const Machine& machine) const {
  const auto config = swept_config<BatchConfig>(
      mode, options, {"write-factors", "write-pivots", "write-inverse", "write-solution"},
      "names one file");
  check_all(config);
  return std::move(plan_batch_variants(stages_, config, machine).at(0));
}

RunRecord BatchWorkload::begin_record(const VariantPlan& plan, const Input& input,
                                      const std::string& sha256) const {
  return begin_batch_record(static_cast<const BatchPlan&>(plan), input, sha256);
}

void BatchWorkload::check(const VariantPlan& plan, const Input& input) const {
  check_batch(static_cast<const BatchPlan&>(plan), input);
}

void BatchWorkload::complete_records(std::span<RunRecord> runs) const {
  for (RunRecord& run : runs) set_batch_figures(run);
  set_copy_fractions(runs);
}

std::unique_ptr<VariantWorker> BatchWorkload::make_worker(const OpenRequest& request) const {
  return make_batch_worker(stages_, request);
}

}  // namespace lufact
