// SPDX-License-Identifier: BSD-3-Clause
// A family of things to measure: the sparse pipeline is one. Supervisor, turns, worker processes,
// journal, sweeps and the commands that read result files know this interface alone.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/workload/command.hpp"
#include "app/workload/input.hpp"
#include "app/workload/variant_plan.hpp"
#include "app/workload/variant_worker.hpp"
#include "core/base/machine.hpp"
#include "core/report/workload_facts.hpp"

namespace lufact {

// Long options of the workload's command without their dashes, with their values as on the command
// line. A flag that is set has the value "true"; one that is not is absent.
using OptionTexts = std::map<std::string, std::string>;

// An input that a sweep names by its file, or what is missing.
struct FoundInput {
  Input input;
  std::string missing;
};

// Predicts what the variants need on one input.
class Forecaster {
 public:
  virtual ~Forecaster() = default;
  // In words; empty where nothing can be said.
  virtual std::string of(const VariantPlan& plan) = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual WorkloadFacts facts() const = 0;

  // The command that runs variants side by side: supervise() does its work.
  virtual Command add_command(CLI::App& app, std::vector<std::string> argv) const = 0;
  // Its name, which a sweep's configuration gives too, and that configuration's key for inputs.
  virtual std::string_view command() const = 0;
  virtual std::string_view inputs_key() const = 0;

  // An entry of a sweep: a file below one of `folders`, or what is to be generated, for which
  // `folder` is where a workload keeps its files. Throw UsageError naming what is accepted.
  virtual FoundInput find_input(const std::string& name, const std::string& file,
                                const std::vector<std::string>& folders) const = 0;
  virtual GeneratorFacts complete(const GeneratorFacts& facts) const = 0;
  virtual Input generated_input(const std::string& name, const GeneratorFacts& facts,
                                const std::string& folder) const = 0;
  // Writes the file of a generated input, where it has one and it is not there.
  virtual void make_input([[maybe_unused]] const Input& input) const {}
  virtual InputHash hash(const Input& input) const = 0;

  // JSON Schema of each option that a sweep may set, by its name without dashes.
  virtual nlohmann::ordered_json options_schema() const { return nlohmann::ordered_json::object(); }

  // One variant of a sweep. Throws UsageError as the command line would.
  virtual std::unique_ptr<const VariantPlan> plan(const std::string& mode,
                                                  const OptionTexts& options,
                                                  const Machine& machine) const = 0;
  // The record of a run that has not begun: the plan's, with id and input.
  virtual RunRecord begin_record(const VariantPlan& plan, const Input& input,
                                 const std::string& sha256) const = 0;
  // Throws UsageError as the command line would where the variant cannot take the input.
  virtual void check([[maybe_unused]] const VariantPlan& plan,
                     [[maybe_unused]] const Input& input) const {}
  // Fills what follows from the samples, or from several runs of one file together.
  virtual void complete_records([[maybe_unused]] std::span<RunRecord> runs) const {}
  // Null where the workload predicts nothing.
  virtual std::unique_ptr<Forecaster> forecaster([[maybe_unused]] const Input& input,
                                                 [[maybe_unused]] const Machine& machine) const {
    return nullptr;
  }

  // In a worker process.
  virtual std::unique_ptr<VariantWorker> make_worker(const OpenRequest& request) const = 0;
  // On a rank other than the first. Throws Error{unsupported} unless the plan asked for ranks.
  virtual std::unique_ptr<RankAssistant> make_assistant(const OpenRequest& request) const;
};
using Workloads = std::vector<std::unique_ptr<const Workload>>;

// Throws UsageError naming the accepted commands.
const Workload& workload_of_command(const Workloads& workloads, std::string_view command);
// Throws std::invalid_argument.
const Workload& workload_named(const Workloads& workloads, std::string_view name);
KnownWorkloads facts_of(const Workloads& workloads);

}  // namespace lufact
