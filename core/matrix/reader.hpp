// SPDX-License-Identifier: BSD-3-Clause
// Reads Matrix Market coordinate files: .mtx, .mtx.gz, .mtx.xz and SuiteSparse .tar.gz.
#pragma once
#include <string>

#include "core/matrix/facts.hpp"

namespace lufact {

// Reads one square sparse matrix. Throws Error
//   {error, "bad_matrix"}            cannot be opened or parsed; the message has file and line
//   {unsupported, "complex_matrix"}  complex or Hermitian
//   {oom_host, ...}                  sizes beyond memory
InputMatrix read_matrix(const std::string& path, const ReadOptions& options);

// The SHA-256 of a file's bytes; throws Error{error, "bad_matrix"} where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace lufact
