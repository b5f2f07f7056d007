// SPDX-License-Identifier: BSD-3-Clause
// The effective configuration of one invocation of `lufact batch`, and its JSON form, which is both
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
#include "core/batch/batch_inputs.hpp"

namespace lufact {

// Where matrices are before and after: in device memory, or in pages of the host that are locked or
// not, from and to which a stage on the device has to copy them.
enum class BatchData { device, pinned, host };
std::string_view to_string(BatchData data) noexcept;

template <>
struct Choices<BatchData> {
  static constexpr std::array values{BatchData::device, BatchData::pinned, BatchData::host};
};
struct BatchConfig : CommonConfig {
  std::vector<Index> sizes;  // empty: auto
  Offset count = 1'000'000;
  ArrayOperation operation = ArrayOperation::lu;
  std::string input = "random";
  std::vector<std::string> variants{"auto"};
  bool floating = false;
  std::string scaling = "mc64", ordering = "amd";  // of blocks and fronts
  ArrayLayout layout = ArrayLayout::contiguous;
  std::optional<Index> ld;              // empty: the order
  std::optional<std::string> in_place;  // "on", "off"; empty: on but for the inverse
  int rhs = 1;
  BatchData data = BatchData::device;
  std::optional<int> matrices_per_block;
  std::optional<SwapRule> swap;
  bool tune = false;
  std::optional<std::string> tuning_file;
  std::optional<std::string> factors_file, pivots_file, inverse_file, solution_file;

  // --variant none: peers alone.
  bool peers_only() const { return variants == std::vector<std::string>{"none"} && !peers.empty(); }
  bool works_in_place() const {
    return in_place ? *in_place == "on" : operation != ArrayOperation::inverse;
  }
};

void visit_matrices(auto&& option, Is<BatchConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--size", "sizes", runs,
                "Orders: 1 to 64, several as N,N,..., ranges as 1..32, or auto for inputs that "
                "have sizes of their own",
                variant},
         config.sizes, Orders{largest_batch_order, true});
  option(Option{"--count", "count", runs, "Matrices of each run", variant}, config.count,
         at_least(1, "1 or more"));
  option(Option{"--operation", "operation", runs, "What is computed of every matrix"},
         config.operation);
  option(Option{"--input", "input", runs, "The matrices", invocation}, config.input);
  option(Option{"--variant", "variants", runs,
                "Kernels to run side by side, comma-separated; auto: fast where a GPU can run it, "
                "else cpu; none: peers alone",
                invocation},
         config.variants, CommaSeparated{.one = "VARIANT"});
}

void visit_input_options(auto&& option, Is<BatchConfig> auto& config) {
  using namespace option_groups;
  option(Option{"--floating", "floating", input,
                "Elements keep their rigid motions: their matrices are singular"},
         config.floating);
  option(Option{"--scaling", "scaling", input, "Of the matrix that blocks and fronts are cut from"},
         config.scaling);
  option(
      Option{"--ordering", "ordering", input, "Of the matrix that blocks and fronts are cut from"},
      config.ordering);
}

void visit_array_options(auto&& option, Is<BatchConfig> auto& config) {
  using namespace option_groups;
  option(Option{"--layout", "layout", arrays,
                "One matrix after the other, equal entries of all side by side, or an array of "
                "addresses"},
         config.layout);
  option(Option{"--ld", "ld", arrays, "Entries from one column to the next [the order]"}, config.ld,
         at_least(1, "the order or more"));
  option(Option{"--in-place", "in_place", arrays,
                "Whether the result takes the place of the matrix [lu, solve: on; inverse: off]"},
         config.in_place, OneOf{{"on", "off"}});
  option(Option{"--rhs", "rhs", arrays, "Right-hand sides of each matrix, with --operation solve"},
         config.rhs, at_least(1, "1 or more"));
  option(Option{"--data", "data", arrays,
                "Where matrices are before and after; copies to a device and back are counted"},
         config.data);
  option(Option{"--matrices-per-block", "matrices_per_block", arrays,
                "Matrices that a block of threads has (nF_TB of BATCH)"},
         config.matrices_per_block, AutoOr{1, 16});
  option(Option{"--swap", "swap", arrays,
                "Interchange rows at every step, or once at the end [the kernel's own]"},
         config.swap);
  option(
      Option{"--tune", "tune", arrays,
             "Measure what the variant chooses from, write the times to the file of --tuning, and "
             "choose by them"},
      config.tune);
  option(Option{"--tuning", "tuning", arrays,
                "Choose by the measurements in this file, not by the built-in table"},
         config.tuning_file, FileName{});
}

void visit_written_files(auto&& option, Is<BatchConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--write-factors", "write_factors", output,
                "Write L and U of every matrix to this file (.npy)", variant},
         config.factors_file, FileName{});
  option(Option{"--write-pivots", "write_pivots", output,
                "Write the pivots of every matrix to this file (.npy)", variant},
         config.pivots_file, FileName{});
  option(Option{"--write-inverse", "write_inverse", output,
                "Write every inverse to this file (.npy)", variant},
         config.inverse_file, FileName{});
  option(Option{"--write-solution", "write_solution", output,
                "Write every solution to this file (.npy)", variant},
         config.solution_file, FileName{});
}

void visit_options(auto&& option, Is<BatchConfig> auto& config) {
  visit_matrices(option, config);
  visit_options(option, part_of<CommonConfig>(config));
  visit_array_options(option, config);
  visit_input_options(option, config);
  visit_written_files(option, config);
}

nlohmann::ordered_json to_json(const BatchConfig& config);
BatchConfig batch_config_from_json(const nlohmann::json& json);

// Throws UsageError where options exclude each other or are out of range.
void check(const BatchConfig& config);

// The part of the configuration that decides what is measured, beside the matrices.
nlohmann::ordered_json identity_options(const BatchConfig& config);

// `count` matrices of order n under this configuration.
ArrayProblem array_problem(const BatchConfig& config, Index n, Offset count);

}  // namespace lufact
