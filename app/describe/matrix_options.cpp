// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/matrix_options.hpp"

#include "app/config/accepted_names.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/option_values.hpp"
#include "app/config/rates_file.hpp"
#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {

void add_matrix(CLI::App& command, MatrixOptions& options) {
  command.add_option("matrix", options.path, "Matrix Market file: .mtx, .gz, .xz or .tar.gz")
      ->required();
}

HelpTexts matrix_help(const char* ordering_help) {
  return {.names = accepted_names(make_catalogue()), .help = {{"--ordering", ordering_help}}};
}

void check(const MatrixOptions& options) {
  visit_options(RangeCheck{}, options);
  if (options.permutation_file && options.ordering && *options.ordering != "file") {
    throw UsageError("--permutation gives the ordering; leave --ordering out");
  }
  if (options.ordering == "file" && !options.permutation_file) {
    throw UsageError("--ordering file needs --permutation FILE");
  }
}

InputMatrix read_matrix(const MatrixOptions& options) {
  ReadOptions read = options.read;
  read.threads = options.threads;
  return read_matrix(options.path, read);
}

StageOptions stage_options(const MatrixOptions& options) {
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
