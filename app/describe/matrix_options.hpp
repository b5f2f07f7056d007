// SPDX-License-Identifier: BSD-3-Clause
// The options of commands that look at one matrix without running it.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/matrix/facts.hpp"
#include "core/pipeline/options.hpp"

namespace lufact {

struct MatrixOptions {
  std::string path;
  std::optional<std::string> ordering, permutation_file;
  int threads = 0;  // 0: all
  ReadOptions read;
};

// `options` must outlive the parser. `ordering_help` says what is taken without --ordering.
void add_matrix_options(CLI::App& command, MatrixOptions& options, const char* ordering_help);

// What the stages are told: threads, rates of this machine, and that singular matrices are looked
// at as well. Throws UsageError where options exclude each other.
StageOptions stage_options(const MatrixOptions& options);

// --ordering, --permutation or `otherwise`.
std::string ordering_of(const MatrixOptions& options, const std::string& otherwise);

}  // namespace lufact
