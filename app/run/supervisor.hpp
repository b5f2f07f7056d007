// SPDX-License-Identifier: BSD-3-Clause
// A command that runs variants, as a supervisor: it never touches CUDA. Every variant of an input
// runs in a process of its own; the supervisor hands out turns one sample at a time (A B A B), so
// that variants are interleaved, and a crash, a hang or a memory kill costs one record.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/workload/workload.hpp"

namespace lufact {

struct SupervisedRuns {
  const Workload& workload;
  std::vector<Input> inputs{};
  std::function<VariantPlans(const Machine&)> plan{};
  nlohmann::ordered_json config{};  // of the result file
  std::optional<std::string> output{};
  int device = 0;
  std::uint64_t seed = 1;  // of the comparisons' intervals
  bool resume = false;     // go on with what `output` holds
  bool quiet = false;
};

// Runs every variant on every input, writes the result file, prints the table, and returns the exit
// status. `argv` goes to the record.
int supervise(const SupervisedRuns& runs, const std::vector<std::string>& argv);

}  // namespace lufact
