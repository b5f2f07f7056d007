// SPDX-License-Identifier: BSD-3-Clause
// The head of a Matrix Market file: banner, comments and the line of sizes.
// R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats: initial design",
// NISTIR 5935 (1996).
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/matrix/facts.hpp"
#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {

enum class Field { real, integer, pattern };
enum class FileSymmetry { general, symmetric, skew_symmetric };

// As the result file spells them.
std::string_view to_string(Field field) noexcept;
std::string_view to_string(FileSymmetry symmetry) noexcept;

struct Header {
  Field field = Field::real;
  FileSymmetry symmetry = FileSymmetry::general;
  Index n = 0;
  Offset entries = 0;           // as announced
  std::size_t size_offset = 0;  // where the line of sizes starts
  std::size_t body_offset = 0;  // where the line after it starts
  std::optional<GeneratorFacts> generator;
};

// Reads banner, comments and sizes; blank lines and a UTF-8 byte order mark are skipped, words may
// be of any case, `double` means `real` and `unsigned-integer` means `integer`. With
// `without_banner` a file may start at its sizes and is then real and general.
// Throws Error
//   {error, "bad_matrix"}            not a Matrix Market file; not square; negative sizes; more
//                                    entries announced than the rest of the file can hold
//   {unsupported, "complex_matrix"}  field complex or symmetry Hermitian
//   {unsupported, "dense_matrix"}    format array
//   {unsupported, "index_overflow"}  sizes beyond 2^31 - 1
Header parse_header(const SourceText& source, bool without_banner);

}  // namespace lufact::matrix_market
