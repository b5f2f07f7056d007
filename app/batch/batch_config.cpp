// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/batch_config.hpp"

#include <algorithm>
#include <filesystem>

#include "app/config/option_values.hpp"
#include "app/config/typed_values.hpp"
#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void check_files(const BatchConfig& config) {
  const auto unless = [&](ArrayOperation operation) {
    return config.operation == operation
               ? std::string()
               : fmt::format("with --operation {}", to_string(config.operation));
  };
  const std::size_t variants =
      config.peers.size() + (config.peers_only() ? 0 : config.variants.size());
  check_written_files({{"--write-factors", config.factors_file, unless(ArrayOperation::lu)},
                       {"--write-pivots", config.pivots_file, unless(ArrayOperation::lu)},
                       {"--write-inverse", config.inverse_file, unless(ArrayOperation::inverse)},
                       {"--write-solution", config.solution_file, unless(ArrayOperation::solve)}},
                      config.sizes.size() <= 1 && variants == 1);
}

void check_tuning(const BatchConfig& config) {
  if (config.tune && !config.tuning_file) {
    throw UsageError("--tune writes what it measures: name the file by --tuning FILE");
  }
  if (config.tune && config.data != BatchData::device) {
    throw UsageError("--tune is for --data device");
  }
  if (config.tune && (config.matrices_per_block || config.swap)) {
    throw UsageError(
        "--tune measures every number of matrices a block under the rule of the variant; "
        "leave out --matrices-per-block and --swap");
  }
  if (!config.tune && config.tuning_file &&
      !std::filesystem::is_regular_file(*config.tuning_file)) {
    throw UsageError("--tuning " + *config.tuning_file + ": there is no such file");
  }
}

}  // namespace

std::string_view to_string(BatchData data) noexcept {
  switch (data) {
    case BatchData::device:
      return "device";
    case BatchData::pinned:
      return "pinned";
    case BatchData::host:
      return "host";
  }
  return "";
}

ordered_json to_json(const BatchConfig& config) {
  return json_of_options(config);
}

BatchConfig batch_config_from_json(const json& from) {
  return options_from_json<BatchConfig>(from);
}

void check(const BatchConfig& config) {
  visit_options(RangeCheck{}, config);
  check_repetitions(config);
  if (!config.works_in_place() && config.operation != ArrayOperation::inverse) {
    throw UsageError(fmt::format("--in-place off is for --operation inverse; {} works in place",
                                 to_string(config.operation)));
  }
  if (config.rhs != 1 && config.operation != ArrayOperation::solve) {
    throw UsageError(fmt::format("--rhs is for --operation solve; {} has no right-hand sides",
                                 to_string(config.operation)));
  }
  if (config.record_profile) throw UsageError("--record-profile: a batch has no profile");
  check_tuning(config);
  refuse_repeated("--variant", config.variants);
  refuse_repeated("--peer", config.peers);
  const bool names_none = std::ranges::find(config.variants, "none") != config.variants.end();
  if (names_none && !config.peers_only()) {
    throw UsageError("--variant none stands alone, with --peer beside it");
  }
  check_files(config);
}

ordered_json identity_options(const BatchConfig& config) {
  ordered_json options = to_json(config);
  const auto leave_out = [&](const Option& option, const auto&...) {
    if (option.scope != OptionScope::measurement) options.erase(option.key);
  };
  visit_options(leave_out, config);
  if (config.tuning_file && !config.tune) options["tuning"] = sha256_of_file(*config.tuning_file);
  return options;
}

ArrayProblem array_problem(const BatchConfig& config, Index n, Offset count) {
  return {.operation = config.operation,
          .rows = n,
          .columns = n,
          .count = count,
          .ld = config.ld.value_or(n),
          .rhs = config.operation == ArrayOperation::solve ? config.rhs : 0,
          .layout = config.layout,
          .precision = config.precision,
          .pivoting = ArrayPivoting::partial,
          .in_place = config.works_in_place()};
}

}  // namespace lufact
