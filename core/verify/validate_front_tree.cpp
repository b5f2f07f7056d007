// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

class TreeChecker {
 public:
  TreeChecker(const PermutedMatrix& b, const FrontTree& tree) : b_(b.pattern), tree_(tree) {}

  std::string find_fault() {
    std::string fault = find_shape_fault();
    if (fault.empty()) fault = find_label_fault();
    for (Index f = 0; f < tree_.fronts() && fault.empty(); ++f) fault = find_front_fault(f);
    if (fault.empty()) fault = find_entry_fault();
    return fault;
  }

 private:
  std::string find_shape_fault() const {
    const std::size_t fronts = tree_.parent.size(), entries = b_.col_idx.size();
    if (tree_.n != b_.n_rows || tree_.label.size() != at(tree_.n)) return "the order is wrong";
    if (tree_.first.size() != fronts + 1 || tree_.first.back() != tree_.n ||
        !std::is_sorted(tree_.first.begin(), tree_.first.end()) || tree_.first.front() != 0) {
      return "the fronts' pivots do not make up the matrix";
    }
    if (tree_.row_ptr.size() != fronts + 1 || at(tree_.row_ptr.back()) != tree_.row.size() ||
        tree_.parent_row.size() != tree_.row.size()) {
      return "the row lists do not fit the fronts";
    }
    if (tree_.entry_ptr.size() != fronts + 1 || at(tree_.entry_ptr.back()) != entries ||
        tree_.entry_source.size() != entries || tree_.entry_row.size() != entries ||
        tree_.entry_column.size() != entries) {
      return fmt::format("{} entries of B are assembled, not {}", tree_.entry_source.size(),
                         entries);
    }
    return {};
  }

  std::string find_label_fault() {
    position_.assign(at(tree_.n), -1);
    for (Index k = 0; k < tree_.n; ++k) {
      const Index label = tree_.label[at(k)];
      if (label < 0 || label >= tree_.n || position_[at(label)] >= 0) {
        return fmt::format("position {} has label {}, which is no label or has two positions", k,
                           label);
      }
      position_[at(label)] = k;
    }
    return {};
  }

  // The row of front f at `position`, from 0, or -1.
  Index row_at(Index f, Index position) const {
    if (position >= tree_.first[at(f)] && position < tree_.first[at(f) + 1]) {
      return position - tree_.first[at(f)];
    }
    const auto begin = tree_.row.begin() + tree_.row_ptr[at(f)];
    const auto end = tree_.row.begin() + tree_.row_ptr[at(f) + 1];
    const auto row = std::lower_bound(begin, end, position);
    if (row == end || *row != position) return -1;
    return tree_.pivots(f) + static_cast<Index>(row - begin);
  }

  std::string find_front_fault(Index f) const {
    const Index parent = tree_.parent[at(f)];
    if (parent >= tree_.fronts() || (parent >= 0 && parent <= f)) {
      return fmt::format("front {} comes after its parent {}", f, parent);
    }
    Index before = tree_.first[at(f) + 1] - 1;
    for (Offset p = tree_.row_ptr[at(f)]; p < tree_.row_ptr[at(f) + 1]; ++p) {
      const Index row = tree_.row[at(p)];
      if (row <= before || row >= tree_.n) {
        return fmt::format("front {} has row {} out of order", f, row);
      }
      before = row;
      if (parent < 0) return fmt::format("front {} is a root and has row {}", f, row);
      if (row_at(parent, row) < 0 || row_at(parent, row) != tree_.parent_row[at(p)]) {
        return fmt::format("row {} of front {} is not row {} of its parent {}", row, f,
                           tree_.parent_row[at(p)], parent);
      }
    }
    return {};
  }

  std::string find_entry_fault() const {
    std::vector<Index> row_of(b_.col_idx.size());
    for (Index i = 0; i < b_.n_rows; ++i) {
      std::fill(row_of.begin() + b_.row_ptr[at(i)], row_of.begin() + b_.row_ptr[at(i) + 1], i);
    }
    std::vector<bool> seen(row_of.size(), false);
    for (Index f = 0; f < tree_.fronts(); ++f) {
      for (Offset p = tree_.entry_ptr[at(f)]; p < tree_.entry_ptr[at(f) + 1]; ++p) {
        const Index source = tree_.entry_source[at(p)];
        if (source < 0 || at(source) >= seen.size() || seen[at(source)]) {
          return fmt::format(
              "front {} assembles entry {} of B, which is none or is assembled twice", f, source);
        }
        seen[at(source)] = true;
        const Index row = row_at(f, position_[at(row_of[at(source)])]);
        const Index column = row_at(f, position_[at(b_.col_idx[at(source)])]);
        const bool own = row >= 0 && column >= 0 && std::min(row, column) < tree_.pivots(f);
        if (!own || row != tree_.entry_row[at(p)] || column != tree_.entry_column[at(p)]) {
          return fmt::format("entry ({}, {}) of B does not belong to place ({}, {}) of front {}",
                             row_of[at(source)], b_.col_idx[at(source)], tree_.entry_row[at(p)],
                             tree_.entry_column[at(p)], f);
        }
      }
    }
    return {};
  }

  const CsrPattern& b_;
  const FrontTree& tree_;
  std::vector<Index> position_;
};

}  // namespace

ValidatorVerdict validate_front_tree(const PermutedMatrix& b, const FrontTree& tree) {
  const std::string fault = TreeChecker(b, tree).find_fault();
  return {fault.empty(), "front-tree", fault};
}

}  // namespace lufact
