// SPDX-License-Identifier: BSD-3-Clause
// Writes Matrix Market coordinate files.
#pragma once
#include <optional>
#include <string>

#include "core/matrix/facts.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// The comment that tells a reader how a file was generated, without the newline:
//   % lufact generator: {"kind":"grid2d","sizes":{"nx":30,"ny":20},"seed":1}
std::string generator_comment(const GeneratorFacts& facts);

// Writes `matrix` as "coordinate real general", entries by row, values as the shortest decimals
// that read back to the same double. The ending of `path` chooses the form: .mtx or .mtx.gz (the
// gzip header carries no time and no name, so equal input gives equal bytes); another ending is a
// UsageError. The file appears whole or not at all: it is written beside `path` and renamed.
// Throws Error{error, "cannot_write"} with the system's reason.
void write_matrix_market(const std::string& path, const CsrMatrix& matrix,
                         const std::optional<GeneratorFacts>& generator);

}  // namespace lufact
