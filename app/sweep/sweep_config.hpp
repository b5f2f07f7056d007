// SPDX-License-Identifier: BSD-3-Clause
// The configuration file of a sweep, as configs/README.md describes it.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/run_config.hpp"
#include "core/matrix/facts.hpp"

namespace lufact {

// Long options of `lufact run` without their dashes, with their values as on the command line. A
// flag that is set has the value "true"; one that is not is absent.
using OptionTexts = std::map<std::string, std::string>;

struct SweepMatrix {
  std::string name;                         // unique; a generated matrix becomes inputs/NAME.mtx
  std::string file;                         // empty for a generated one
  std::optional<GeneratorFacts> generator;  // complete
  OptionTexts options;
  std::optional<std::string> stand_in_for;  // the published matrix whose place it takes
};

// An entry of `matrices`: a matrix, and the generated one that takes its place where there is no
// such file.
struct SweepMatrixEntry {
  SweepMatrix matrix;
  std::optional<SweepMatrix> stand_in;
};

struct SweepVariant {
  std::string name;  // unique
  std::string mode;
  OptionTexts options;
};

struct SweepConfig {
  std::string name, purpose;
  OptionTexts options;  // of every run, where matrix and variant do not say otherwise
  std::vector<SweepMatrixEntry> matrices;
  std::vector<SweepVariant> variants;                        // peers come last, one each
  std::vector<std::pair<std::string, std::string>> exclude;  // matrix and variant by name
  nlohmann::ordered_json text;                               // the file as it was read

  // By the name of the entry's matrix, whichever of the two runs.
  bool excludes(const SweepMatrixEntry& entry, const SweepVariant& variant) const;
};

// Both throw UsageError naming the key, such as "variants[2].mode", and what is accepted there.
SweepConfig read_sweep_config(const std::string& path);
SweepConfig parse_sweep_config(const nlohmann::ordered_json& json);

// The options of one run: those of the sweep, replaced by those of matrix and variant. Throws
// UsageError where matrix and variant set the same one.
OptionTexts options_of_run(const SweepConfig& config, const SweepMatrix& matrix,
                           const SweepVariant& variant);

// What `lufact run --mode MODE` makes of them. Throws UsageError as the command line would.
RunConfig run_config_of(const std::string& mode, const OptionTexts& options);

}  // namespace lufact
