// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/matrix_options.hpp"

#include "app/config/accepted_names.hpp"
#include "app/config/command_line.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/rates_file.hpp"
#include "core/base/error.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {

void add_matrix_options(CLI::App& command, MatrixOptions& options, const char* ordering_help) {
  using namespace option_groups;
  command.add_option("matrix", options.path, "Matrix Market file: .mtx, .gz, .xz or .tar.gz")
      ->required();
  CommandLine add(command, {.names = accepted_names(make_catalogue())}, true);
  add(Option{"--ordering", "ordering", pipeline, ordering_help}, options.ordering);
  add(Option{"--permutation", "permutation", pipeline,
             "File with the ordering, one label per line"},
      options.permutation_file, ExistingFile{});
  add(Option{"--threads", "threads", machine, "OpenMP threads; 0: all"}, options.threads,
      at_least(0, "0 or more"));
  add(Option{"--without-banner", "without_banner", input,
             "Accept a file with no Matrix Market banner line"},
      options.read.without_banner);
}

StageOptions stage_options(const MatrixOptions& options) {
  if (options.threads < 0) throw UsageError("--threads is out of range; accepted: 0 or more");
  if (options.permutation_file && options.ordering && *options.ordering != "file") {
    throw UsageError("--permutation gives the ordering; leave --ordering out");
  }
  StageOptions stage;
  stage.allow_singular = true;
  stage.threads = effective_threads(options.threads);
  stage.permutation_file = options.permutation_file.value_or("");
  stage.rates = load_rates().rates;
  return stage;
}

std::string ordering_of(const MatrixOptions& options, const std::string& otherwise) {
  return options.permutation_file ? "file" : options.ordering.value_or(otherwise);
}

}  // namespace lufact
