// SPDX-License-Identifier: BSD-3-Clause
// A second workload, for tests: sums of numbers that are generated and never a file.
#pragma once
#include "app/workload/workload.hpp"

namespace lufact::test {

// `lufact sums --size N[,N...] --mode forward[,pairwise|,wrong|,crash]`: what runs is the mode.
class SumsWorkload final : public Workload {
 public:
  WorkloadFacts facts() const override;
  Command add_command(CLI::App& app, std::vector<std::string> argv) const override;
  std::string_view command() const override { return "sums"; }
  std::string_view inputs_key() const override { return "inputs"; }
  FoundInput find_input(const std::string& name, const std::string& file,
                        const std::vector<std::string>& folders) const override;
  GeneratorFacts complete(const GeneratorFacts& facts) const override;
  Input generated_input(const std::string& name, const GeneratorFacts& facts,
                        const std::string& folder) const override;
  InputHash hash(const Input& input) const override;
  std::unique_ptr<const VariantPlan> plan(const std::string& mode, const OptionTexts& options,
                                          const Machine& machine) const override;
  RunRecord begin_record(const VariantPlan& plan, const Input& input,
                         const std::string& sha256) const override;
  std::unique_ptr<VariantWorker> make_worker(const OpenRequest& request) const override;
};

}  // namespace lufact::test
