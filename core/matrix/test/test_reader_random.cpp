// SPDX-License-Identifier: BSD-3-Clause
// Random files against a reading that is too simple to be wrong: one map of positions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/matrix/assemble.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

using namespace matrix_market;

struct Stored {
  Index row, col;
  double value;
};

struct RandomFile {
  Index n = 0;
  FileSymmetry symmetry = FileSymmetry::general;
  std::vector<Stored> entries;
  std::string text;
};

constexpr unsigned seed = 20240611;

// Few positions, so that duplicates and cancelling values are common; a symmetric file takes each
// pair in one triangle only.
RandomFile make_file(std::mt19937& random, FileSymmetry symmetry) {
  const auto below = [&](unsigned bound) { return random() % bound; };
  RandomFile file;
  file.symmetry = symmetry;
  file.n = static_cast<Index>(1 + below(40));
  const unsigned order = static_cast<unsigned>(file.n);
  const std::size_t count = below(4 * order + 1);
  std::string body;
  while (file.entries.size() < count) {
    auto row = static_cast<Index>(below(order)), col = static_cast<Index>(below(order));
    if (symmetry != FileSymmetry::general && ((row + col) % 3 == 0) != (row < col)) {
      std::swap(row, col);
    }
    if (symmetry == FileSymmetry::skew_symmetric && row == col && order == 1) break;
    if (symmetry == FileSymmetry::skew_symmetric && row == col) continue;
    const double value = static_cast<double>(below(9)) - 4 + (below(4) == 0 ? 0.1 : 0);
    file.entries.push_back({row, col, value});
    const char* const blank = below(2) == 0 ? " " : "\t ";
    body +=
        fmt::format("{}{}{}{}{}{}", row + 1, blank, col + 1, blank, value > 0 ? "+" : "", value);
    body += below(3) == 0 ? " \r\n" : "\n";
    if (below(10) == 0) body += below(2) == 0 ? "% comment 1 1 1\n" : "  \n";
  }
  if (!body.empty() && below(2) == 0) body.pop_back();
  file.text = fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n{}",
                          to_string(symmetry), file.n, file.n, file.entries.size(), body);
  return file;
}

std::map<std::pair<Index, Index>, double> read_simply(const RandomFile& file,
                                                      const ReadOptions& options) {
  std::map<std::pair<Index, Index>, double> positions;
  for (const Stored& entry : file.entries) {
    positions[{entry.row, entry.col}] += entry.value;
    if (options.symmetry == SymmetryMode::stored || file.symmetry == FileSymmetry::general)
      continue;
    const double sign = file.symmetry == FileSymmetry::symmetric ? 1 : -1;
    if (entry.row != entry.col) positions[{entry.col, entry.row}] += sign * entry.value;
  }
  for (Index i = 0; options.zero_diagonals && i < file.n; ++i) {
    double& diagonal = positions[{i, i}];
    if (diagonal == 0) diagonal = *options.zero_diagonals;
  }
  if (options.explicit_zeros == ExplicitZeros::drop) {
    std::erase_if(positions, [](const auto& position) { return position.second == 0; });
  }
  return positions;
}

std::map<std::pair<Index, Index>, double> positions_of(const CsrMatrix& matrix) {
  std::map<std::pair<Index, Index>, double> positions;
  for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
    const auto columns = matrix.pattern.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      positions[{i, columns[k]}] = matrix.row_values(i)[k];
    }
  }
  return positions;
}

double simple_symmetry(const std::map<std::pair<Index, Index>, double>& positions) {
  double off_diagonal = 0, mirrored = 0;
  for (const auto& [place, value] : positions) {
    if (place.first == place.second) continue;
    off_diagonal += 1;
    mirrored += static_cast<double>(positions.count({place.second, place.first}));
  }
  return off_diagonal == 0 ? 1 : mirrored / off_diagonal;
}

void check_file(const RandomFile& file, const ReadOptions& options) {
  const InputMatrix input = parse_matrix(file.text, "random", options);
  ASSERT_EQ(find_pattern_fault(input.matrix.pattern.view()), "");
  const auto expected = read_simply(file, options);
  EXPECT_EQ(positions_of(input.matrix), expected);
  EXPECT_DOUBLE_EQ(input.facts.structural_symmetry, simple_symmetry(expected));
  std::set<std::pair<Index, Index>> stored;
  for (const Stored& entry : file.entries) stored.insert({entry.row, entry.col});
  EXPECT_EQ(input.facts.duplicates_summed,
            static_cast<Offset>(file.entries.size() - stored.size()));
  Offset missing = 0;
  for (Index i = 0; i < file.n; ++i) missing += expected.count({i, i}) == 0 ? 1 : 0;
  EXPECT_EQ(input.facts.missing_diagonals, missing);
}

TEST(RandomFiles, AreReadLikeAMapOfPositions) {
  std::mt19937 random(seed);
  for (int k = 0; k < 300; ++k) {
    const auto symmetry = static_cast<FileSymmetry>(k % 3);
    const RandomFile file = make_file(random, symmetry);
    SCOPED_TRACE(file.text);
    for (const SymmetryMode mode : {SymmetryMode::expand, SymmetryMode::stored}) {
      for (const ExplicitZeros zeros : {ExplicitZeros::drop, ExplicitZeros::keep}) {
        ReadOptions options;
        options.symmetry = mode;
        options.explicit_zeros = zeros;
        check_file(file, options);
        options.zero_diagonals = -2.5;
        check_file(file, options);
      }
    }
    if (HasFailure()) return;
  }
}

TEST(RandomFiles, AreTheSameForAnyRunsAndThreads) {
  std::mt19937 random(seed + 1);
  for (int k = 0; k < 60; ++k) {
    const RandomFile file = make_file(random, static_cast<FileSymmetry>(k % 3));
    SCOPED_TRACE(file.text);
    const SourceText source{"random", file.text};
    const Header header = parse_header(source, false);
    AssembleRules rules;
    rules.mirror = header.symmetry == FileSymmetry::general     ? Mirror::none
                   : header.symmetry == FileSymmetry::symmetric ? Mirror::same
                                                                : Mirror::opposite;
    const CsrMatrix whole = assemble(parse_triplets(source, header, 1), file.n, rules, 1).matrix;
    for (const std::size_t run_bytes : {1u, 7u, 64u}) {
      for (const int threads : {1, 2, 5}) {
        const Triplets triplets = parse_triplets(source, header, threads, run_bytes);
        const CsrMatrix parts = assemble(triplets, file.n, rules, threads).matrix;
        EXPECT_EQ(parts.pattern.row_ptr, whole.pattern.row_ptr);
        EXPECT_EQ(parts.pattern.col_idx, whole.pattern.col_idx);
        EXPECT_EQ(parts.values, whole.values);
      }
    }
    if (HasFailure()) return;
  }
}

TEST(RandomFiles, KnowTheLineOfEveryEntry) {
  std::mt19937 random(seed + 2);
  for (int k = 0; k < 20; ++k) {
    const RandomFile file = make_file(random, FileSymmetry::general);
    const SourceText source{"random", file.text};
    const Header header = parse_header(source, false);
    const Triplets triplets = parse_triplets(source, header, 2, 30);
    for (const matrix_market::Run& run : triplets.runs) {
      for (Offset e = run.begin; e < run.begin + run.count; ++e) {
        const Entry& entry = triplets.entries[static_cast<std::size_t>(e)];
        const auto words = split_words(line_at(file.text, text_offset(source, triplets, e)), 2);
        ASSERT_EQ(words.size(), 2u);
        EXPECT_EQ(std::to_string(entry.row + 1), words[0]);
        EXPECT_EQ(std::to_string(entry.col + 1), words[1]);
      }
    }
  }
}

}  // namespace
}  // namespace lufact
