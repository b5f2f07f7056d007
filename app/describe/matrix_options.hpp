// SPDX-License-Identifier: BSD-3-Clause
// The options of commands that look at one matrix without running it.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/config/command_line.hpp"
#include "app/config/machine_options.hpp"
#include "app/config/option.hpp"
#include "core/matrix/facts.hpp"
#include "core/pipeline/options.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

struct MatrixOptions {
  std::string path;
  std::optional<std::string> ordering, permutation_file;
  int threads = 0;  // 0: all
  ReadOptions read;
};

void visit_options(auto&& option, Is<MatrixOptions> auto& options) {
  using namespace option_groups;
  option(Option{"--ordering", "ordering", pipeline, "Fill-reducing ordering"}, options.ordering);
  option(Option{"--permutation", "permutation", pipeline,
                "File with the ordering, one label per line"},
         options.permutation_file, ExistingFile{});
  option(Option{"--threads", "threads", machine, "OpenMP threads; 0: all"}, options.threads,
         range_of_threads);
  option(Option{"--without-banner", "without_banner", input,
                "Accept a file with no Matrix Market banner line"},
         options.read.without_banner);
}

// The matrix, which needs no option; it must outlive the parser.
void add_matrix(CLI::App& command, MatrixOptions& options);

// What --help says of --ordering, with what is taken without it.
HelpTexts matrix_help(const char* ordering_help);

// Throws UsageError where options are out of range or exclude each other.
void check(const MatrixOptions& options);

// The matrix. Throws as read_matrix() does.
InputMatrix read_matrix(const MatrixOptions& options);

// What the stages are told: threads, rates of this machine, and that singular matrices are looked
// at as well.
StageOptions stage_options(const MatrixOptions& options);

// --ordering, --permutation or `otherwise`.
std::string ordering_of(const MatrixOptions& options, const std::string& otherwise);

}  // namespace lufact
