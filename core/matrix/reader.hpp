// SPDX-License-Identifier: BSD-3-Clause
// Reads Matrix Market coordinate files: .mtx, .mtx.gz, .mtx.xz and SuiteSparse .tar.gz. What a file
// is, is seen from its first bytes, not from its name.
#pragma once
#include <string>
#include <string_view>

#include "core/matrix/facts.hpp"

namespace lufact {

// Reads one square sparse matrix. Throws Error
//   {error, "bad_matrix"}            cannot be opened or parsed; the message has file and line
//   {unsupported, "complex_matrix"}  complex or Hermitian
//   {unsupported, "dense_matrix"}    format array
//   {unsupported, "index_overflow"}  order beyond 2^31 - 1
//   {oom_host, ...}                  sizes beyond memory
// and UsageError where options.zero_diagonals is 0 or not finite. The result does not depend on
// options.threads. A symmetric file may list either triangle or some of each, but no entry together
// with its mirror image; of a 0 x 0 file an empty matrix is read.
InputMatrix read_matrix(const std::string& path, const ReadOptions& options);

// The same for a text in memory, which must not be compressed. `name` stands for the file in
// messages and in the facts, which have neither path nor hash.
InputMatrix parse_matrix(std::string_view text, const std::string& name,
                         const ReadOptions& options);

// The matrix that read_matrix gives, explicit zeros kept, with the number of its entry line, from
// 1, for the value of each entry; negative where a skew-symmetric file has the mirror image.
// Neither
// --zero-diagonals nor --pattern-values hold. Throws as read_matrix, and Error{error, "bad_matrix"}
// where the file lists an entry twice.
CsrMatrix read_line_numbers(const std::string& path, const ReadOptions& options);

// The result that read_matrix would give for a general file with the entries of `matrix`; the facts
// have neither name, path nor hash.
InputMatrix as_if_read(const CsrMatrix& matrix, const ReadOptions& options);

// The SHA-256 of a file's bytes; throws Error{error, "bad_matrix"} where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace lufact
