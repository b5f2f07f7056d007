// SPDX-License-Identifier: BSD-3-Clause
#include "core/structure/entry_facts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace lufact {
namespace {

DegreeRange range_of(const std::vector<Offset>& degrees) {
  if (degrees.empty()) return {};
  const auto [least, most] = std::ranges::minmax(degrees);
  const Offset sum = std::accumulate(degrees.begin(), degrees.end(), Offset{0});
  return {least, most, static_cast<double>(sum) / static_cast<double>(degrees.size())};
}

// Bandwidths and profile; `first_row` is the first row of each column.
void measure_distances(const PatternView& a, EntryFacts& facts) {
  std::vector<Index> first_row(at(a.n_cols), -1);
  double profile = a.n_rows;
  for (Index i = 0; i < a.n_rows; ++i) {
    const std::span<const Index> columns = a.row(i);
    if (columns.empty()) continue;
    for (const Index j : columns) {
      if (first_row[at(j)] < 0) first_row[at(j)] = i;
    }
    facts.lower_bandwidth = std::max(facts.lower_bandwidth, i - columns.front());
    facts.upper_bandwidth = std::max(facts.upper_bandwidth, columns.back() - i);
    profile += std::max<Index>(0, i - columns.front());
  }
  for (Index j = 0; j < a.n_cols; ++j) {
    if (first_row[at(j)] >= 0) profile += std::max<Index>(0, j - first_row[at(j)]);
  }
  facts.profile = profile;
}

DiagonalDominance dominance_of(const CsrMatrix& a) {
  DiagonalDominance dominance;
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    const auto columns = a.pattern.row(i);
    const auto values = a.row_values(i);
    double diagonal = 0, others = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      (columns[k] == i ? diagonal : others) += std::abs(values[k]);
    }
    dominance.rows += diagonal > others ? 1 : 0;
    if (others == 0) continue;
    const double ratio = diagonal / others;
    dominance.least_ratio = std::min(ratio, dominance.least_ratio.value_or(ratio));
  }
  return dominance;
}

}  // namespace

Degrees degrees_of(const PatternView& a) {
  Degrees degrees{std::vector<Offset>(at(a.n_rows)), std::vector<Offset>(at(a.n_cols), 0)};
  for (Index i = 0; i < a.n_rows; ++i) degrees.of_rows[at(i)] = std::ssize(a.row(i));
  for (const Index j : a.col_idx) ++degrees.of_columns[at(j)];
  return degrees;
}

EntryFacts entry_facts(const CsrMatrix& a, const Degrees& degrees) {
  EntryFacts facts;
  measure_distances(a.pattern.view(), facts);
  facts.row_degrees = range_of(degrees.of_rows);
  facts.column_degrees = range_of(degrees.of_columns);
  facts.dominance = dominance_of(a);
  return facts;
}

}  // namespace lufact
