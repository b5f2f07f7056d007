// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/dense_config.hpp"

#include <algorithm>

#include "app/config/option_values.hpp"
#include "app/config/typed_values.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void check_files(const DenseConfig& config) {
  const std::string unless_lu = config.solves() ? "with --operation solve" : "";
  const std::string unless_solve = config.solves() ? "" : "with --operation lu";
  const bool pivots = config.pivoting != ArrayPivoting::none;
  const std::size_t variants =
      config.peers.size() + (config.peers_only() ? 0 : config.variants.size());
  check_written_files(
      {{"--write-factors", config.factors_file, unless_lu},
       {"--write-pivots", config.pivots_file, pivots ? unless_lu : "with --pivoting none"},
       {"--write-solution", config.solution_file, unless_solve}},
      config.sizes.size() <= 1 && variants == 1);
}

void check_sizes(const DenseConfig& config) {
  const bool shaped = config.rows || config.columns;
  if (config.rows.has_value() != config.columns.has_value()) {
    throw UsageError("--rows and --columns go together; give --n for a square matrix");
  }
  if (shaped && !config.sizes.empty()) {
    throw UsageError("--n is the order of a square matrix; leave out --rows and --columns");
  }
  if (shaped && config.solves() && *config.rows != *config.columns) {
    throw UsageError(
        fmt::format("--operation solve: a matrix of {} x {} is not square; accepted "
                    "for it: --operation lu",
                    *config.rows, *config.columns));
  }
}

}  // namespace

std::string_view to_string(DensePrecision precision) noexcept {
  switch (precision) {
    case DensePrecision::float64:
      return "double";
    case DensePrecision::float32:
      return "float";
    case DensePrecision::mixed_float:
      return "mixed-float";
    case DensePrecision::mixed_tf32:
      return "mixed-tf32";
    case DensePrecision::mixed_half:
      return "mixed-half";
    case DensePrecision::mixed_bfloat:
      return "mixed-bfloat";
  }
  return "";
}

std::string_view to_string(DenseData data) noexcept {
  return data == DenseData::device ? "device" : "host";
}

FactorArithmetic DenseConfig::arithmetic() const {
  switch (numbers) {
    case DensePrecision::mixed_float:
      return FactorArithmetic::float32;
    case DensePrecision::mixed_tf32:
      return FactorArithmetic::tf32;
    case DensePrecision::mixed_half:
      return FactorArithmetic::half;
    case DensePrecision::mixed_bfloat:
      return FactorArithmetic::bfloat;
    default:
      return FactorArithmetic::own;
  }
}

ordered_json to_json(const DenseConfig& config) {
  return json_of_options(config);
}

DenseConfig dense_config_from_json(const json& from) {
  return options_from_json<DenseConfig>(from);
}

void check(const DenseConfig& config) {
  visit_options(RangeCheck{}, config);
  check_repetitions(config);
  refuse_repeated("--variant", config.variants);
  refuse_repeated("--peer", config.peers);
  check_sizes(config);
  if (config.rhs != 1 && !config.solves()) {
    throw UsageError("--rhs is for --operation solve; lu has no right-hand sides");
  }
  if (config.arithmetic() != FactorArithmetic::own && !config.solves()) {
    throw UsageError(
        fmt::format("--precision {} is for --operation solve; accepted with lu: "
                    "double, float",
                    to_string(config.numbers)));
  }
  const bool names_none = std::ranges::find(config.variants, "none") != config.variants.end();
  if (names_none && !config.peers_only()) {
    throw UsageError("--variant none stands alone, with --peer beside it");
  }
  check_files(config);
}

ordered_json identity_options(const DenseConfig& config) {
  ordered_json options = to_json(config);
  const auto leave_out = [&](const Option& option, const auto&...) {
    if (option.scope != OptionScope::measurement) options.erase(option.key);
  };
  visit_options(leave_out, config);
  return options;
}

ArrayProblem array_problem(const DenseConfig& config, Index m, Index n, ArrayPivoting pivoting) {
  return {.operation = config.solves() ? ArrayOperation::solve : ArrayOperation::lu,
          .rows = m,
          .columns = n,
          .ld = m,
          .rhs = config.solves() ? config.rhs : 0,
          .precision = config.result_precision(),
          .pivoting = pivoting,
          .arithmetic = config.arithmetic()};
}

}  // namespace lufact
