// SPDX-License-Identifier: BSD-3-Clause
// What the workloads on dense matrices have in common beside their options and inputs.
#pragma once
#include <string>
#include <vector>

#include "app/run/supervisor.hpp"
#include "app/workload/workload.hpp"

namespace lufact {

// What a command asks of the supervisor; inputs and plan are the caller's.
template <class Config>
SupervisedRuns supervised_runs(const Workload& workload, const Config& config) {
  SupervisedRuns runs{.workload = workload};
  runs.config = to_json(config);
  runs.output = config.output;
  runs.device = config.device;
  runs.seed = config.seed;
  runs.quiet = config.quiet;
  runs.resume = config.resume;
  return runs;
}

// The input of a sweep that `file` names, the end of which is `path`, what is looked for in
// `folders`; `open` makes an input of a name and such a text. `accepted`: the kinds of files, for
// the UsageError where `path` is empty.
FoundInput find_array_file(const std::string& name, const std::string& file,
                           const std::string& path, const std::string& accepted,
                           const std::vector<std::string>& folders,
                           Input (*open)(const std::string& name, const std::string& text));

InputHash hash_of_array_input(const Input& input);

}  // namespace lufact
