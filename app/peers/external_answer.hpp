// SPDX-License-Identifier: BSD-3-Clause
// What an external program of `--peer exec:COMMAND` answers: lines `key value` on its standard
// output, in any order. Lines that start with no known key are the program's own talk and are
// passed over. docs/adding-a-peer.md lists the keys.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/types.hpp"
#include "core/measure/phase_recorder.hpp"

namespace lufact {

struct ExternalAnswer {
  std::vector<PhaseTime> phases;  // those that were given, in the order of the pipeline
  std::map<std::string, Offset> counts;
  std::optional<double> flops;
  std::map<std::string, std::string> texts, settings;
  std::optional<std::string> solution;  // path
  std::optional<Outcome> outcome;
  std::string message;
};

// Throws Error{error, "bad_answer"} where a known key has a value that cannot be used.
ExternalAnswer parse_external_answer(std::string_view text);

}  // namespace lufact
