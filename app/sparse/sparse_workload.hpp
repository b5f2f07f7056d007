// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/workload/workload.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// `lufact run`: one sparse matrix, read from a file, through the pipeline or a foreign solver.
class SparseWorkload final : public Workload {
 public:
  explicit SparseWorkload(Catalogue catalogue);

  WorkloadFacts facts() const override;
  Command add_command(CLI::App& app, std::vector<std::string> argv) const override;
  std::string_view command() const override { return "run"; }
  std::string_view inputs_key() const override { return "matrices"; }

  // The file as it is, with the ending of a matrix file, without its group, or in a folder of its
  // own name.
  FoundInput find_input(const std::string& name, const std::string& file,
                        const std::vector<std::string>& folders) const override;
  GeneratorFacts complete(const GeneratorFacts& facts) const override;
  Input generated_input(const std::string& name, const GeneratorFacts& facts,
                        const std::string& folder) const override;
  void make_input(const Input& input) const override;
  InputHash hash(const Input& input) const override;

  nlohmann::ordered_json options_schema() const override;
  std::unique_ptr<const VariantPlan> plan(const std::string& mode, const OptionTexts& options,
                                          const Machine& machine) const override;
  RunRecord begin_record(const VariantPlan& plan, const Input& input,
                         const std::string& sha256) const override;
  // Rates of many systems.
  void complete_records(std::span<RunRecord> runs) const override;
  // The exact size of the factors takes one matching, ordering and symbolic factorization of each
  // matrix on the host.
  std::unique_ptr<Forecaster> forecaster(const Input& input, const Machine& machine) const override;
  std::unique_ptr<VariantWorker> make_worker(const OpenRequest& request) const override;
  std::unique_ptr<RankAssistant> make_assistant(const OpenRequest& request) const override;

 private:
  const Catalogue catalogue_;
};

}  // namespace lufact
