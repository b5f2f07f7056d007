// SPDX-License-Identifier: BSD-3-Clause
// The configuration file of a sweep, as configs/README.md describes it.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/workload/workload.hpp"

namespace lufact {

struct SweepInput {
  std::string name;                         // unique
  std::string file;                         // empty for a generated one
  std::optional<GeneratorFacts> generator;  // complete
  OptionTexts options;
  std::optional<std::string> stand_in_for;  // the published matrix whose place it takes
};

// An entry of the list of inputs: an input, and the generated one that takes its place where there
// is no such file.
struct SweepInputEntry {
  SweepInput input;
  std::optional<SweepInput> stand_in;
};

struct SweepVariant {
  std::string name;  // unique
  std::string mode;
  OptionTexts options;
  std::string entry{};  // the name that the configuration gives it with others, or its own
};

struct SweepConfig {
  std::string name, purpose;           // the purpose may be empty
  const Workload* workload = nullptr;  // by `command`; the sparse one where there is none
  OptionTexts options;                 // of every run, where input and variant do not say otherwise
  std::vector<SweepInputEntry> inputs;
  std::vector<SweepVariant> variants;                        // peers come last, one each
  std::vector<std::pair<std::string, std::string>> exclude;  // input and variant by name
  nlohmann::ordered_json text;                               // the file as it was read

  // By the name of the entry's input, whichever of the two runs.
  bool excludes(const SweepInputEntry& entry, const SweepVariant& variant) const;
};

// Both throw UsageError naming the key, such as "variants[2].mode", and what is accepted there.
SweepConfig read_sweep_config(const std::string& path, const Workloads& workloads);
SweepConfig parse_sweep_config(const nlohmann::ordered_json& json, const Workloads& workloads);

// The options of one run: those of the sweep, replaced by those of input and variant. Throws
// UsageError where input and variant set the same one.
OptionTexts options_of_run(const SweepConfig& config, const SweepInput& input,
                           const SweepVariant& variant);

}  // namespace lufact
