// SPDX-License-Identifier: BSD-3-Clause
// The effective configuration of one invocation of `lufact dense`, and its JSON form, which is both
// the `config` of the result file and what the supervisor hands to its worker processes.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/array_choices.hpp"
#include "app/config/common_config.hpp"
#include "core/array/array_stage.hpp"
#include "core/dense/dense_input.hpp"

namespace lufact {

// Of the result, and, for mixed ones, whose result is double, of the factors.
enum class DensePrecision { float64, float32, mixed_float, mixed_tf32, mixed_half, mixed_bfloat };
std::string_view to_string(DensePrecision precision) noexcept;

// Where the matrix is before and after: copies to a device and back are counted or not.
enum class DenseData { device, host };
std::string_view to_string(DenseData data) noexcept;

template <>
struct Choices<DensePrecision> {
  static constexpr std::array values{DensePrecision::float64,     DensePrecision::float32,
                                     DensePrecision::mixed_float, DensePrecision::mixed_tf32,
                                     DensePrecision::mixed_half,  DensePrecision::mixed_bfloat};
};
template <>
struct Choices<DenseData> {
  static constexpr std::array values{DenseData::device, DenseData::host};
};

struct DenseConfig : CommonConfig {
  std::vector<Index> sizes;               // of square matrices
  std::optional<Index> rows, columns;     // or of one of any shape
  std::string operation = "lu";           // "lu", "solve"
  std::optional<ArrayPivoting> pivoting;  // empty: each variant's own
  std::optional<std::string> input;       // empty: dominant where a variant does not pivot
  std::vector<std::string> variants{"auto"};
  int rhs = 1;
  DenseData data = DenseData::device;
  DensePrecision numbers = DensePrecision::float64;  // in place of CommonConfig's
  DenseSettings settings;
  std::optional<std::string> factors_file, pivots_file, solution_file;

  bool solves() const { return operation == "solve"; }
  // --variant none: peers alone.
  bool peers_only() const { return variants == std::vector<std::string>{"none"} && !peers.empty(); }
  Precision result_precision() const {
    return numbers == DensePrecision::float32 ? Precision::float32 : Precision::float64;
  }
  FactorArithmetic arithmetic() const;
};

inline constexpr int largest_dense_block = 1024;
inline constexpr int largest_thread_block = 1024;
inline constexpr int largest_grid = 65536;

void visit_matrix_options(auto&& option, Is<DenseConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--n", "sizes", runs, "Orders: 1 to 65536, several as N,N,..., ranges as A..B",
                variant},
         config.sizes, Orders{largest_dense_order});
  option(Option{"--rows", "rows", runs, "Of a matrix of any shape, with --columns", variant},
         config.rows, at_least(1, "1 or more"));
  option(Option{"--columns", "columns", runs, "Of a matrix of any shape, with --rows", variant},
         config.columns, at_least(1, "1 or more"));
  option(Option{"--operation", "operation", runs, "LU, or LU and a solution"}, config.operation,
         OneOf{{"lu", "solve"}});
  option(
      Option{"--pivoting", "pivoting", runs, "Partial: LAPACK's pivots; none [the variant's own]"},
      config.pivoting);
  option(Option{"--input", "input", runs,
                "The matrix [random; dominant where a variant has no pivoting]", invocation},
         config.input);
  option(Option{"--variant", "variants", runs,
                "Kernels to run side by side, comma-separated; auto: the recommended one that this "
                "machine can run; none: peers alone",
                invocation},
         config.variants, CommaSeparated{.one = "VARIANT"});
}

// Those of CommonConfig, with another --precision.
void visit_common_options(auto&& option, Is<DenseConfig> auto& config) {
  const auto with_numbers = [&](const Option& declared, auto& member, const auto&... form) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, Precision>) {
      option(Option{declared.name, declared.key, option_groups::arrays,
                    "Of the matrix and the result; mixed: factors in lower numbers, a solution "
                    "refined to double"},
             config.numbers);
    } else {
      option(declared, member, form...);
    }
  };
  visit_options(with_numbers, part_of<CommonConfig>(config));
}

// Those of DenseSettings beside --block.
void visit_kernel_options(auto&& option, Is<DenseSettings> auto& settings) {
  using namespace option_groups;
  option(Option{"--depth", "depth", arrays,
                "Levels of a recursion, before the rest is factored by --base; max: to the end"},
         settings.depth, AutoOr{0, largest_dense_order, "max"});
  option(Option{"--base", "base", arrays, "What factors a recursion's blocks and the rest [skr]"},
         settings.base);
  option(Option{"--blocks", "blocks", arrays,
                "Thread blocks of a grid; half: half the order of what it factors, as many as run "
                "at once at most where they wait for each other"},
         settings.blocks, AutoOr{1, largest_grid, "half"});
  option(Option{"--threads-per-block", "threads_per_block", arrays,
                "Of these, a multiple of 32; auto: one for each column, up to 1024"},
         settings.threads_per_block, AutoOr{1, largest_thread_block});
  option(Option{"--product", "product", arrays,
                "What updates the rest: tiles of ours, a thread an entry, or cuBLAS [own]"},
         settings.product);
  option(Option{"--triangular", "triangular", arrays,
                "How triangular systems are solved: a thread a column or row, or by blocks"},
         settings.triangular);
}

void visit_array_options(auto&& option, Is<DenseConfig> auto& config) {
  using namespace option_groups;
  option(Option{"--rhs", "rhs", arrays, "Right-hand sides, with --operation solve"}, config.rhs,
         at_least(1, "1 or more"));
  option(Option{"--data", "data", arrays,
                "Where the matrix is before and after; copies to a device and back are counted"},
         config.data);
  option(
      Option{"--block", "block", arrays, "Columns that are eliminated before the rest is updated"},
      config.settings.block, AutoOr{1, largest_dense_block});
  visit_kernel_options(option, config.settings);
}

void visit_written_files(auto&& option, Is<DenseConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--write-factors", "write_factors", output, "Write L and U to this file (.npy)",
                variant},
         config.factors_file, FileName{});
  option(Option{"--write-pivots", "write_pivots", output, "Write the pivots to this file (.npy)",
                variant},
         config.pivots_file, FileName{});
  option(Option{"--write-solution", "write_solution", output,
                "Write the solution to this file (.npy)", variant},
         config.solution_file, FileName{});
}

void visit_options(auto&& option, Is<DenseConfig> auto& config) {
  visit_matrix_options(option, config);
  visit_common_options(option, config);
  visit_array_options(option, config);
  visit_written_files(option, config);
}

nlohmann::ordered_json to_json(const DenseConfig& config);
DenseConfig dense_config_from_json(const nlohmann::json& json);

// Throws UsageError where options exclude each other or are out of range.
void check(const DenseConfig& config);

// The part of the configuration that decides what is measured, beside the matrix.
nlohmann::ordered_json identity_options(const DenseConfig& config);

// One matrix of m x n under this configuration.
ArrayProblem array_problem(const DenseConfig& config, Index m, Index n, ArrayPivoting pivoting);

}  // namespace lufact
