// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_preprocessing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lufact {
namespace {

ValidatorVerdict verdict(std::string method, std::string message) {
  return {message.empty(), std::move(method), std::move(message)};
}

std::string find_bijection_fault(std::span<const Index> labels) {
  std::vector<Offset> position_of(labels.size(), -1);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const Index label = labels[k];
    if (label < 0 || at(label) >= labels.size()) {
      return fmt::format("entry {} of the permutation is {}, outside 0..{}", k, label,
                         labels.size() - 1);
    }
    if (position_of[at(label)] >= 0) {
      return fmt::format("label {} stands at entries {} and {} of the permutation", label,
                         position_of[at(label)], k);
    }
    position_of[at(label)] = static_cast<Offset>(k);
  }
  return {};
}

std::string find_scaling_fault(const char* what, std::span<const double> scale, Index n) {
  if (scale.size() != at(n)) {
    return fmt::format("there are {} {} scalings for {} labels", scale.size(), what, n);
  }
  for (std::size_t i = 0; i < scale.size(); ++i) {
    if (!std::isfinite(scale[i]) || scale[i] <= 0) {
      return fmt::format("the scaling of {} {} is {}", what, i, scale[i]);
    }
  }
  return {};
}

// The row of A that is matched to each column through a nonzero entry, or -1.
std::vector<Index> matched_rows(const CsrMatrix& a, std::span<const Index> row_of_column) {
  std::vector<Index> matched(row_of_column.size(), -1);
  for (std::size_t j = 0; j < row_of_column.size(); ++j) {
    const Offset p = find_entry(a.pattern.view(), row_of_column[j], static_cast<Index>(j));
    if (p >= 0 && a.values[at(p)] != 0) matched[j] = row_of_column[j];
  }
  return matched;
}

// Whether each row has a place among the matched ones.
std::vector<bool> is_matched_row(const std::vector<Index>& matched) {
  std::vector<bool> result(matched.size(), false);
  for (const Index i : matched) {
    if (i >= 0) result[at(i)] = true;
  }
  return result;
}

std::string find_magnitude_fault(const CsrMatrix& a, const Matching& matching,
                                 const std::vector<Index>& matched, double tolerance,
                                 double largest) {
  const std::vector<bool> row_is_matched = is_matched_row(matched);
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    if (!row_is_matched[at(i)]) continue;
    const auto columns = a.pattern.row(i);
    const auto values = a.row_values(i);
    for (std::size_t p = 0; p < columns.size(); ++p) {
      const Index j = columns[p];
      if (matched[at(j)] < 0) continue;
      // The scalings may be near the ends of the range of double; their product with a_ij is not.
      const long double scaled = std::abs(static_cast<long double>(matching.row_scale[at(i)]) *
                                          values[p] * matching.col_scale[at(j)]);
      if (matched[at(j)] == i && std::abs(scaled - 1) > tolerance) {
        return fmt::format("the matched entry of row {}, column {} has scaled magnitude {}, not 1",
                           i, j, static_cast<double>(scaled));
      }
      if (!(scaled <= static_cast<long double>(largest) + tolerance)) {
        return fmt::format("the entry of row {}, column {} has scaled magnitude {}, beyond {}", i,
                           j, static_cast<double>(scaled), largest);
      }
    }
  }
  return {};
}

std::string find_matching_fault(const CsrMatrix& a, const Matching& matching, double tolerance,
                                double largest) {
  const Index n = a.pattern.n_rows;
  if (matching.rows.size() != n) {
    return fmt::format("the permutation has {} labels for {} rows", matching.rows.size(), n);
  }
  for (const auto& fault : {find_bijection_fault(matching.rows.old_of_new()),
                            find_scaling_fault("row", matching.row_scale, n),
                            find_scaling_fault("column", matching.col_scale, n)}) {
    if (!fault.empty()) return fault;
  }
  const std::vector<Index> matched = matched_rows(a, matching.rows.old_of_new());
  Index rank = 0;
  std::size_t first_unmatched = matched.size();
  for (std::size_t j = matched.size(); j-- > 0;) {
    if (matched[j] < 0) first_unmatched = j;
    rank += matched[j] >= 0;
  }
  if (rank != matching.structural_rank) {
    return fmt::format(
        "{} entries are matched but the structural rank is said to be {}; the first column without "
        "a nonzero matched entry is {} of {}",
        rank, matching.structural_rank, first_unmatched, n);
  }
  return find_magnitude_fault(a, matching, matched, tolerance, largest);
}

// Sizes of B's arrays and its permutations.
std::string find_shape_fault(const CsrMatrix& a, const PermutedMatrix& b) {
  const Index n = a.pattern.n_rows;
  if (std::string fault = find_pattern_fault(b.pattern.view()); !fault.empty()) return fault;
  if (b.pattern.n_rows != n || b.pattern.n_cols != n || b.rows.size() != n || b.cols.size() != n) {
    return fmt::format("the permuted matrix is {} x {} for a matrix of order {}", b.pattern.n_rows,
                       b.pattern.n_cols, n);
  }
  const std::size_t nnz = at(b.pattern.nnz());
  if (b.values.size() != nnz || b.source.size() != nnz) {
    return fmt::format("{} values and {} sources for {} entries", b.values.size(), b.source.size(),
                       nnz);
  }
  for (const auto& fault :
       {find_bijection_fault(b.rows.old_of_new()), find_bijection_fault(b.cols.old_of_new()),
        find_scaling_fault("row", b.row_scale, n), find_scaling_fault("column", b.col_scale, n)}) {
    if (!fault.empty()) return fault;
  }
  return {};
}

// Entry p of B, in row i: either from A, or an added diagonal entry.
std::string find_entry_fault(const CsrMatrix& a, const PermutedMatrix& b, Index i, std::size_t p) {
  const Index j = b.pattern.col_idx[p];
  const Offset expected =
      find_entry(a.pattern.view(), b.rows.old_of_new()[at(i)], b.cols.old_of_new()[at(j)]);
  if (b.source[p] != expected) {
    return fmt::format("the source of row {}, column {} is {}, not {}", i, j, b.source[p],
                       expected);
  }
  if (expected < 0 && i != j) return fmt::format("row {} has an added column {}", i, j);
  const double value = expected < 0 ? 0.0 : a.values[at(expected)];
  if (b.values[p] != value) {
    return fmt::format("the value of row {}, column {} is {}, not {}", i, j, b.values[p], value);
  }
  return {};
}

// An entry of A that is no entry's source.
std::string find_lost_entry(const CsrMatrix& a, const PermutedMatrix& b) {
  std::vector<bool> used(a.values.size(), false);
  for (const Offset source : b.source) {
    if (source >= 0) used[at(source)] = true;
  }
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    for (Offset p = a.pattern.row_ptr[at(i)]; p < a.pattern.row_ptr[at(i) + 1]; ++p) {
      if (used[at(p)]) continue;
      return fmt::format("row {}, column {} of A is missing", i, a.pattern.col_idx[at(p)]);
    }
  }
  return {};
}

// Liu's algorithm, one row after the other.
std::vector<Index> elimination_forest_of(const CsrPattern& graph) {
  std::vector<Index> parent(at(graph.n_rows), -1), ancestor(parent);
  for (Index k = 0; k < graph.n_rows; ++k) {
    for (Index i : graph.row(k)) {
      while (i < k && ancestor[at(i)] >= 0) i = std::exchange(ancestor[at(i)], k);
      if (i < k) parent[at(i)] = ancestor[at(i)] = k;
    }
  }
  return parent;
}

// The forest that B has with it, if any: its parents, and that labels are a postorder.
std::string find_forest_fault(const PermutedMatrix& b) {
  if (b.forest.empty()) return {};
  const std::vector<Index> parent = elimination_forest_of(symmetric_graph(b.pattern.view()));
  if (b.forest.size() != parent.size()) {
    return fmt::format("a forest of {} labels for {}", b.forest.size(), parent.size());
  }
  std::vector<Index> size(parent.size(), 1), first(parent.size());
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (b.forest[k] != parent[k]) {
      return fmt::format("the parent of label {} is {}, not {}", k, b.forest[k], parent[k]);
    }
    const auto label = static_cast<Index>(k);
    first[k] = size[k] == 1 ? label : std::min(first[k], label);
    if (first[k] != label + 1 - size[k]) {
      return fmt::format("the subtree of label {} has label {} and a gap", k, first[k]);
    }
    if (parent[k] < 0) continue;
    const std::size_t above = at(parent[k]);
    first[above] = size[above] == 1 ? first[k] : std::min(first[above], first[k]);
    size[above] += size[k];
  }
  return {};
}

std::string find_permuted_fault(const CsrMatrix& a, const PermutedMatrix& b) {
  if (std::string fault = find_shape_fault(a, b); !fault.empty()) return fault;
  Offset added = 0;
  double norm = 0;
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    if (find_entry(b.pattern.view(), i, i) < 0) return fmt::format("row {} has no diagonal", i);
    double sum = 0;
    for (std::size_t p = at(b.pattern.row_ptr[at(i)]); p < at(b.pattern.row_ptr[at(i) + 1]); ++p) {
      if (std::string fault = find_entry_fault(a, b, i, p); !fault.empty()) return fault;
      added += b.source[p] < 0;
      sum += std::abs(b.row_scale[at(i)] * b.values[p] * b.col_scale[at(b.pattern.col_idx[p])]);
    }
    norm = std::max(norm, sum);
  }
  if (b.missing_diagonals_added != added) {
    return fmt::format("{} diagonal entries were added, not {}", added, b.missing_diagonals_added);
  }
  if (std::string fault = find_lost_entry(a, b); !fault.empty()) return fault;
  if (!(std::abs(b.scaled_norm - norm) <= 1e-12 * norm)) {
    return fmt::format("the scaled norm is {}, not {}", b.scaled_norm, norm);
  }
  return find_forest_fault(b);
}

}  // namespace

ValidatorVerdict validate_permutation(std::span<const Index> labels) {
  return verdict("permutation", find_bijection_fault(labels));
}

ValidatorVerdict validate_matching(const CsrMatrix& a, const Matching& matching, double tolerance,
                                   double largest) {
  return verdict("matching", find_matching_fault(a, matching, tolerance, largest));
}

ValidatorVerdict validate_permuted_matrix(const CsrMatrix& a, const PermutedMatrix& b) {
  return verdict("permuted-matrix", find_permuted_fault(a, b));
}

}  // namespace lufact
