// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/test/hard_matrices.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/verify/test/test_support.hpp"

namespace lufact::test {
namespace {

// Values that follow one another; a pure function of the seed.
class Draw {
 public:
  Draw(std::uint64_t seed, bool ones) : seed_(seed), ones_(ones) {}

  // From 0 to count - 1.
  Index below(Index count) {
    return static_cast<Index>(unit_interval(next()) * static_cast<double>(count));
  }
  bool ones() const { return ones_; }
  // From -1 to -1/4 or from 1/4 to 1, or one of either sign.
  double weight() {
    const double value = symmetric_interval(next());
    if (ones_) return value < 0 ? -1 : 1;
    return value < 0 ? value * 0.75 - 0.25 : value * 0.75 + 0.25;
  }
  double power_of_ten(double from, double to) {
    return std::pow(10.0, from + (to - from) * unit_interval(next()));
  }

 private:
  std::uint64_t next() { return hash64(seed_, count_++); }
  std::uint64_t seed_, count_ = 0;
  bool ones_;
};

class Entries {
 public:
  explicit Entries(Index n) : n_(n) {}

  void add(Index i, Index j, double value) { value_[{i, j}] += value; }
  void add_both(Index i, Index j, double value) {
    add(i, j, value);
    if (i != j) add(j, i, value);
  }
  // With row and column k of the result scale[k] times those of label[k].
  CsrMatrix take(const std::vector<Index>& label, const std::vector<double>& scale) const {
    std::vector<Index> place(at(n_));
    for (Index k = 0; k < n_; ++k) place[at(label[at(k)])] = k;
    std::vector<Triplet> entries;
    for (const auto& [where, value] : value_) {
      const Index i = place[at(where.first)], j = place[at(where.second)];
      entries.push_back({i, j, value * scale[at(i)] * scale[at(j)]});
    }
    return matrix_from_triplets(n_, std::move(entries));
  }
  Index size() const { return n_; }

 private:
  Index n_;
  std::map<std::pair<Index, Index>, double> value_;
};

CsrMatrix shuffled(const Entries& entries, double decades, Draw& draw) {
  std::vector<Index> label(at(entries.size()));
  std::iota(label.begin(), label.end(), 0);
  for (Index k = entries.size() - 1; k > 0; --k)
    std::swap(label[at(k)], label[at(draw.below(k + 1))]);
  std::vector<double> scale(label.size());
  for (double& s : scale) s = draw.power_of_ten(-decades / 2, decades / 2);
  return entries.take(label, scale);
}

// [H B'; B 0], B with a triangle of ones on its diagonal in front, H positive definite behind it.
CsrMatrix saddle_point(bool zeros, double decades, Draw& draw) {
  const Index primal = 40 + draw.below(160), dual = 10 + draw.below(primal / 2);
  Entries entries(primal + dual);
  for (Index i = 0; i < primal; ++i) {
    const bool zero = zeros && i < dual;
    if (zero) continue;
    entries.add(i, i, 1);
    for (int k = 0; k < 2; ++k) {
      const Index j = draw.below(primal);
      if (j == i || (zeros && j < dual)) continue;
      const double value = draw.weight();
      entries.add_both(i, j, value);
      entries.add(i, i, std::abs(value));
      entries.add(j, j, std::abs(value));
    }
  }
  for (Index c = 0; c < dual; ++c) {
    entries.add_both(primal + c, c, 1);
    if (c > 0) entries.add_both(primal + c, draw.below(c), draw.weight());
    for (int k = 0; k < (draw.ones() ? 5 : 2); ++k) {
      entries.add_both(primal + c, dual + draw.below(primal - dual), draw.weight());
    }
  }
  return shuffled(entries, decades, draw);
}

// Cyclic permutations as blocks, with some more entries off the diagonal, and a border.
CsrMatrix arrow(bool zeros, double decades, Draw& draw) {
  const Index blocks = 20 + draw.below(60), border = 1 + draw.below(12);
  std::vector<Index> first{0};
  for (Index b = 0; b < blocks; ++b) first.push_back(first.back() + 2 + draw.below(4));
  const Index n = first.back() + border;
  Entries entries(n);
  for (Index b = 0; b < blocks; ++b) {
    const Index begin = first[at(b)], order = first[at(b + 1)] - begin;
    for (Index i = 0; i < order; ++i) entries.add(begin + i, begin + (i + 1) % order, 1);
    const Index i = draw.below(order), j = draw.below(order);
    if (i != j && (i + 1) % order != j) entries.add(begin + i, begin + j, draw.weight());
    for (Index k = first.back(); k < n; ++k) {
      if (draw.below(3) == 0) entries.add(begin + draw.below(order), k, draw.weight());
      if (draw.below(3) == 0) entries.add(k, begin + draw.below(order), draw.weight());
    }
  }
  for (Index k = first.back(); k < n; ++k) {
    if (!zeros) entries.add(k, k, draw.weight());
    entries.add(k, first.back() + (k - first.back() + 1) % border, 3 + draw.weight() / 4);
  }
  return shuffled(entries, decades, draw);
}

// L U with ones of either sign, most of them on the diagonals: sums of them, which cancel when they
// are eliminated in another order.
CsrMatrix product(double decades, Draw& draw) {
  const Index n = 60 + draw.below(200);
  std::vector<std::map<Index, double>> upper(at(n));
  for (Index i = 0; i < n; ++i) {
    upper[at(i)][i] = 1;
    for (int k = 0; k < 2 && i + 1 < n; ++k) {
      upper[at(i)][i + 1 + draw.below(n - i - 1)] = draw.below(2) == 0 ? -1 : 1;
    }
  }
  Entries entries(n);
  const auto add_row = [&](Index i, Index of_upper, double l) {
    for (const auto& [j, u] : upper[at(of_upper)]) entries.add(i, j, l * u);
  };
  for (Index i = 0; i < n; ++i) {
    add_row(i, i, 1);
    for (int k = 0; k < 2 && i > 0; ++k) add_row(i, draw.below(i), draw.below(2) == 0 ? -1 : 1);
  }
  return shuffled(entries, decades, draw);
}

// Modified nodal analysis: conductances between nodes and to ground; a voltage source from each of
// some nodes to a later one or to ground; currents that voltages elsewhere control.
CsrMatrix circuit(Draw& draw) {
  const Index nodes = 40 + draw.below(200), sources = 5 + draw.below(nodes / 3);
  Entries entries(nodes + sources);
  const auto conductance = [&](Index i, Index j, double g) {
    entries.add(i, i, g);
    if (j < 0) return;
    entries.add(j, j, g);
    entries.add_both(i, j, -g);
  };
  for (Index i = 0; i < nodes; ++i) {
    conductance(i, -1, draw.power_of_ten(-9, -6));
    for (int k = 0; k < 2; ++k) {
      const Index j = draw.below(nodes);
      if (j != i) conductance(i, j, draw.power_of_ten(-9, 5));
    }
  }
  for (Index s = 0; s < sources; ++s) {
    const Index from = s, row = nodes + s, to = s + 1 + draw.below(nodes - s);
    entries.add_both(row, from, 1);
    if (to < nodes) entries.add_both(row, to, -1);
    entries.add(sources + draw.below(nodes - sources), draw.below(nodes), draw.power_of_ten(-6, 1));
  }
  return shuffled(entries, 0, draw);
}

}  // namespace

HardMatrix hard_matrix(std::uint64_t seed) {
  Draw draw(mix64(seed), seed / 16 % 2 == 1);
  const bool zeros = seed / 4 % 2 == 1;
  const double decades = seed / 8 % 2 == 1 ? 6 : 0;
  switch (seed % 4) {
    case 0:
      return {"saddle point " + std::to_string(seed), saddle_point(zeros, decades, draw)};
    case 1:
      return {"arrow " + std::to_string(seed), arrow(zeros, decades, draw)};
    case 2:
      return {"product " + std::to_string(seed), product(decades, draw)};
    default:
      return {"circuit " + std::to_string(seed), circuit(draw)};
  }
}

}  // namespace lufact::test
