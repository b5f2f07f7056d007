// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/batch/batch_plan.hpp"
#include "app/workload/workload.hpp"

namespace lufact {

// `lufact batch`: many small dense matrices of one order, factored, inverted or solved with by
// kernels of ours or a foreign library.
class BatchWorkload final : public Workload {
 public:
  BatchWorkload();

  WorkloadFacts facts() const override;
  Command add_command(CLI::App& app, std::vector<std::string> argv) const override;
  std::string_view command() const override { return "batch"; }
  std::string_view inputs_key() const override { return "inputs"; }

  // FILE.npy, blocks:FILE.mtx or fronts:FILE.mtx; order and count are options.
  FoundInput find_input(const std::string& name, const std::string& file,
                        const std::vector<std::string>& folders) const override;
  // Any other kind of --input, with `n` and `count`.
  GeneratorFacts complete(const GeneratorFacts& facts) const override;
  Input generated_input(const std::string& name, const GeneratorFacts& facts,
                        const std::string& folder) const override;
  InputHash hash(const Input& input) const override;

  // The mode is the variant.
  nlohmann::ordered_json options_schema() const override;
  std::unique_ptr<const VariantPlan> plan(const std::string& mode, const OptionTexts& options,
                                          const Machine& machine) const override;
  RunRecord begin_record(const VariantPlan& plan, const Input& input,
                         const std::string& sha256) const override;
  void check(const VariantPlan& plan, const Input& input) const override;
  void complete_records(std::span<RunRecord> runs) const override;
  std::unique_ptr<VariantWorker> make_worker(const OpenRequest& request) const override;

 private:
  const ArrayStages stages_;
};

}  // namespace lufact
