// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/commands/commands.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/memory_forecast.hpp"
#include "core/base/byte_size.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/record_json.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

struct DescribeOptions {
  std::string path;
  bool json = false;
  ReadOptions read;
};

nlohmann::ordered_json work_to_json(const std::optional<WorkBytes>& work) {
  if (!work) return nullptr;
  return {{"least_bytes", work->least},
          {"all_rows_bytes", work->all_rows},
          {"memory", work->managed ? "managed" : "device"}};
}

nlohmann::ordered_json forecast_to_json(const MemoryForecast& forecast) {
  auto modes = nlohmann::ordered_json::array();
  for (const ModeForecast& mode : forecast.modes) {
    modes.push_back({{"mode", mode.mode},
                     {"resident_bytes", mode.chain.resident_bytes},
                     {"symbolic_work", work_to_json(mode.chain.symbolic_work)},
                     {"fits", mode.chain.fits ? nlohmann::ordered_json(*mode.chain.fits)
                                              : nlohmann::ordered_json(nullptr)},
                     {"reason", mode.chain.reason}});
  }
  return {{"ordering", forecast.ordering},
          {"nnz_lu", forecast.counts.nnz_lu},
          {"fill_ratio", forecast.counts.fill_ratio},
          {"modes", modes}};
}

void print_text(const MatrixFacts& facts, const MemoryForecast& forecast) {
  fmt::print("{}\n", facts.path);
  fmt::print("  n {}, nnz {} ({} lines), {} {}, structural symmetry {:.4f}\n", facts.n, facts.nnz,
             facts.nnz_stored, facts.field, facts.file_symmetry, facts.structural_symmetry);
  fmt::print("  missing diagonals {}, duplicates summed {}, explicit zeros dropped {}\n",
             facts.missing_diagonals, facts.duplicates_summed, facts.explicit_zeros_dropped);
  fmt::print("  sha256 {}\n", facts.sha256);
  if (facts.generator) {
    fmt::print("  generated: {} seed {}\n", facts.generator->kind, facts.generator->seed);
  }
  fmt::print("  nnz(L+U) {} with mc64 and {} (fill ratio {:.2f})\n", forecast.counts.nnz_lu,
             forecast.ordering, forecast.counts.fill_ratio);
  for (const ModeForecast& mode : forecast.modes) {
    fmt::print("  mode {:<11} needs {:>12} resident{}: {}\n", mode.mode,
               format_byte_size(mode.chain.resident_bytes), work_text(mode.chain.symbolic_work),
               mode.chain.reason);
  }
}

int run_describe(const DescribeOptions& options) {
  const InputMatrix input = read_matrix(options.path, options.read);
  const MemoryForecast forecast =
      forecast_memory(make_catalogue(), input, query_machine_in_child(0));
  if (!options.json) {
    print_text(input.facts, forecast);
    return 0;
  }
  nlohmann::ordered_json json = to_json(input.facts);
  json["missing_diagonals"] = input.facts.missing_diagonals;
  json["forecast"] = forecast_to_json(forecast);
  fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace

Command add_describe_command(CLI::App& app) {
  const auto options = std::make_shared<DescribeOptions>();
  CLI::App* command =
      app.add_subcommand("describe", "Facts of a matrix and the memory that every mode will need");
  command->add_option("matrix", options->path, "Matrix Market file")->required();
  command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--without-banner", options->read.without_banner,
                    "Accept a file with no Matrix Market banner line");
  return {command, [options] { return run_describe(*options); }};
}

}  // namespace lufact
