// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/stage_readers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/config/option_values.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

// Those whose value is not the default, in the order of --help.
std::vector<std::string_view> given_options(const RunConfig& config) {
  const nlohmann::ordered_json defaults = to_json(RunConfig{});
  std::vector<std::string_view> given;
  const auto note = [&](const Option& option, const auto& value, const auto&...) {
    if (encode_value(value) != defaults.at(option.key)) given.emplace_back(option.name);
  };
  visit_single_stage_options(note, part_of<const SparseConfig>(config));
  return given;
}

}  // namespace

std::vector<StageReaders> stage_readers(const RunConfig& config) {
  const std::vector<std::string_view> managed{"gpu-um", "gpu-um-prefetch"};
  // gpu-binary-search has the modes of GLU 3.0 where it has blocks that are given, and else none.
  std::vector<std::string_view> glu_modes{"gpu-dense", "gpu-auto"};
  if (config.given_stage.parallel_columns) glu_modes.emplace_back("gpu-binary-search");
  return {
      {"--symbolic-parts", {"gpu-ooc"}},
      {"--symbolic-words",
       {"gpu-ooc", "gpu-ooc-naive", "gpu-um", "gpu-um-prefetch", "gpu-in-core", "gpu-fill2-plain"}},
      {"--um-bytes", managed},
      {"--um-host-start", managed},
      {"--um-evict-between-chunks", managed},
      {"--um-allow-oversubscription", managed},
      {"--glu-mode", glu_modes},
      {"--glu-thresholds", glu_modes},
      {"--glu-streams", {"gpu-dense", "gpu-auto"}},
      {"--parallel-columns", {"gpu-dense", "gpu-dense-fixed", "gpu-binary-search", "gpu-auto"}},
      {"--factors", {"gpu-multifrontal"}}};
}

void check_stage_readers(const RunConfig& config, const std::vector<std::string>& stages) {
  const std::vector<std::string_view> given = given_options(config);
  const auto runs = [&](std::string_view stage) { return std::ranges::count(stages, stage) > 0; };
  for (const StageReaders& readers : stage_readers(config)) {
    if (std::ranges::count(given, readers.option) == 0) continue;
    if (std::ranges::any_of(readers.stages, runs)) continue;
    const std::set<std::string> others(stages.begin(), stages.end());
    throw UsageError(fmt::format(
        "{} is read by {} alone{}; leave it out", readers.option, fmt::join(readers.stages, ", "),
        others.empty() ? ", and no mode runs"
                       : fmt::format(", not by {}", fmt::join(others, ", "))));
  }
}

}  // namespace lufact
