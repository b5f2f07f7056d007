// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/config/run_config.hpp"

namespace lufact {

// An option of a few stages alone, and those that read it.
struct StageReaders {
  std::string_view option;
  std::vector<std::string_view> stages;
};

// Of every option of the group "Single stages" but those of GSoFa and of supernodes. Other options
// of `config` may add readers.
std::vector<StageReaders> stage_readers(const RunConfig& config);

// Throws UsageError where an option of the above is not at its default and none of `stages`, the
// symbolic and numeric stages of all runs, reads it.
void check_stage_readers(const RunConfig& config, const std::vector<std::string>& stages);

}  // namespace lufact
