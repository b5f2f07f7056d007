// SPDX-License-Identifier: BSD-3-Clause
// Small matrices and a stage context for the tests of preprocessing.
#pragma once
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/matrix/pattern.hpp"
#include "core/measure/clock.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact::testing {

using Cells = std::map<std::pair<Index, Index>, double>;

inline CsrMatrix matrix_of(Index n, const Cells& cells) {
  CsrMatrix a;
  a.pattern.n_rows = a.pattern.n_cols = n;
  a.pattern.row_ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [place, value] : cells) {
    ++a.pattern.row_ptr[place.first + 1];
    a.pattern.col_idx.push_back(place.second);
    a.values.push_back(value);
  }
  for (Index i = 0; i < n; ++i) a.pattern.row_ptr[i + 1] += a.pattern.row_ptr[i];
  return a;
}

// Reproducible numbers: the k-th draw is a function of the seed and k.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  double unit() { return unit_interval(hash64(seed_, count_++)); }
  Index below(Index n) { return static_cast<Index>(unit() * n); }

 private:
  std::uint64_t seed_, count_ = 0;
};

inline std::vector<Index> random_labels(Index n, Draws& draws) {
  std::vector<Index> labels(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) labels[k] = k;
  for (Index k = n - 1; k > 0; --k) std::swap(labels[k], labels[draws.below(k + 1)]);
  return labels;
}

// About `extra` random entries per row with magnitudes in 10^[-decades, decades]; with `full_rank`
// a hidden permutation keeps the structural rank at n.
inline CsrMatrix random_matrix(Index n, double extra, double decades, bool full_rank,
                               std::uint64_t seed) {
  Draws draws(seed);
  const auto value = [&] {
    const double magnitude = std::pow(10.0, decades * (2 * draws.unit() - 1));
    return draws.unit() < 0.5 ? -magnitude : magnitude;
  };
  Cells cells;
  const std::vector<Index> hidden = random_labels(n, draws);
  for (Index i = 0; i < n; ++i) {
    if (full_rank) cells[{i, hidden[i]}] = value();
    for (Index k = 0; k < static_cast<Index>(extra * 2 * draws.unit() + 0.5); ++k) {
      cells[{i, draws.below(n)}] = value();
    }
  }
  return matrix_of(n, cells);
}

inline CsrMatrix grid_matrix(Index width, Index height) {
  Cells cells;
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Index k = y * width + x;
      cells[{k, k}] = 4;
      if (x + 1 < width) cells[{k, k + 1}] = cells[{k + 1, k}] = -1;
      if (y + 1 < height) cells[{k, k + width}] = cells[{k + width, k}] = -1;
    }
  }
  return matrix_of(width * height, cells);
}

// Patterns that break careless code, by name.
inline std::map<std::string, CsrPattern> named_patterns() {
  std::map<std::string, CsrPattern> patterns;
  patterns["0x0"] = matrix_of(0, {}).pattern;
  patterns["1x1"] = matrix_of(1, {{{0, 0}, 1.0}}).pattern;
  patterns["1x1 empty"] = matrix_of(1, {}).pattern;
  patterns["2x2 antidiagonal"] = matrix_of(2, {{{0, 1}, 1.0}, {{1, 0}, 1.0}}).pattern;
  for (const Index n : {31, 32, 33}) {
    patterns["random " + std::to_string(n)] = random_matrix(n, 3, 0, true, 7).pattern;
  }
  patterns["empty rows"] = matrix_of(33, {{{3, 5}, 1.0}, {{30, 2}, 1.0}}).pattern;
  patterns["no entries"] = matrix_of(32, {}).pattern;
  Cells arrow, chain, blocks;
  for (Index k = 0; k < 40; ++k) {
    arrow[{0, k}] = arrow[{k, 0}] = arrow[{k, k}] = 1;
    if (k > 0) chain[{k, k - 1}] = 1;
    for (Index other = k - k % 5; other < k - k % 5 + 5; ++other) blocks[{k, other}] = 1;
  }
  patterns["dense row and column"] = matrix_of(40, arrow).pattern;
  patterns["missing diagonal"] = matrix_of(40, chain).pattern;
  patterns["disconnected"] = matrix_of(40, blocks).pattern;
  patterns["grid"] = grid_matrix(12, 9).pattern;
  return patterns;
}

// Entries of L + U of the symmetric pattern A + A' in the given order, by elimination on sets.
inline Offset symmetric_fill(const CsrPattern& a, const Permutation& perm) {
  const Index n = a.n_rows;
  const auto label = perm.new_of_old();
  std::vector<std::set<Index>> later(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (const Index j : a.row(i)) {
      if (i != j) later[std::min(label[i], label[j])].insert(std::max(label[i], label[j]));
    }
  }
  Offset count = n;
  for (Index k = 0; k < n; ++k) {
    count += 2 * static_cast<Offset>(later[k].size());
    if (later[k].empty()) continue;
    const Index parent = *later[k].begin();
    later[parent].insert(std::next(later[k].begin()), later[k].end());
  }
  return count;
}

// A context whose notes and options a test can reach.
struct TestContext {
  SteadyClock clock;
  PhaseRecorder phases{clock};
  StageOptions options;
  StageNotes notes;
  StageContext context{.phases = phases,
                       .options = options,
                       .notes = notes,
                       .progress = nullptr,
                       .device = nullptr,
                       .check_resident = {}};
};

}  // namespace lufact::testing
