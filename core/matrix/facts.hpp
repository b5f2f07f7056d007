// SPDX-License-Identifier: BSD-3-Clause
// Facts about an input matrix for the result file, and the options of reading it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

enum class SymmetryMode { expand, stored };   // mirror a symmetric file, or take it as it stands
enum class ExplicitZeros { drop, keep };      // entries whose stored value is 0
enum class PatternValues { dominant, ones };  // values of a file that stores none

// As the command line and the result file spell them.
constexpr std::string_view to_string(SymmetryMode mode) noexcept {
  return mode == SymmetryMode::expand ? "expand" : "stored";
}
constexpr std::string_view to_string(ExplicitZeros zeros) noexcept {
  return zeros == ExplicitZeros::drop ? "drop" : "keep";
}
constexpr std::string_view to_string(PatternValues values) noexcept {
  return values == PatternValues::dominant ? "dominant" : "ones";
}

struct ReadOptions {
  SymmetryMode symmetry = SymmetryMode::expand;
  ExplicitZeros explicit_zeros = ExplicitZeros::drop;
  PatternValues pattern_values = PatternValues::dominant;
  std::uint64_t seed = 1;                // of the values given to a pattern file
  bool without_banner = false;           // accept "rows cols nnz" and triplets with no banner line
  std::optional<double> zero_diagonals;  // a missing or zero diagonal entry becomes this value
  int threads = 0;                       // 0: all
};

// A file that lufact's own generator wrote says so in a comment line.
struct GeneratorFacts {
  std::string kind;
  std::vector<std::pair<std::string, Offset>> sizes;
  std::uint64_t seed = 0;
};

struct MatrixFacts {
  std::string name;              // file name without its endings
  std::string path;              // as typed
  std::string sha256;            // of the file's bytes, as stored on disk
  std::uint64_t file_bytes = 0;  // as stored on disk
  std::string field;             // real, integer, pattern
  std::string file_symmetry;     // general, symmetric, skew-symmetric
  std::optional<GeneratorFacts> generator;
  Index n = 0;
  Offset nnz = 0;         // entries used
  Offset nnz_stored = 0;  // entry lines of the file
  // Both count places of the file: of a symmetric one, an entry and its mirror image count once.
  Offset duplicates_summed = 0;
  Offset explicit_zeros_dropped = 0;
  Offset zero_diagonals_replaced = 0;
  Offset missing_diagonals = 0;  // structurally absent diagonal entries of A as used
  SymmetryMode symmetry = SymmetryMode::expand;
  ExplicitZeros explicit_zeros = ExplicitZeros::drop;
  // Share of off-diagonal entries whose mirror entry is present; 1 where there are none.
  double structural_symmetry = 1;
};

struct InputMatrix {
  CsrMatrix matrix;  // square, columns ascending, no duplicates, finite values
  MatrixFacts facts;
};

}  // namespace lufact
