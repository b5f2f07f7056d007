// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/supernodes.hpp"

#include <algorithm>

namespace lufact {
namespace {

Offset entries_of_u(const ColumnPattern& pattern, Index row) {
  return pattern.rows.row_ptr[at(row) + 1] - pattern.diagonal[at(row)];
}

bool has_entry_of_l(const ColumnPattern& pattern, Index row, Index column) {
  const auto columns = pattern.rows.row(row);
  const Offset below = pattern.diagonal[at(row)] - pattern.rows.row_ptr[at(row)];
  return std::binary_search(columns.begin(), columns.begin() + below, column);
}

// Sets starts[row] for the rows [begin, end) of a chunk.
void find_starts(const ColumnPattern& pattern, Index begin, Index end, std::vector<char>& starts) {
  Index leader = begin;
  starts[at(begin)] = 1;
  for (Index row = begin + 1; row < end; ++row) {
    const bool joins = entries_of_u(pattern, row) == entries_of_u(pattern, row - 1) - 1 &&
                       has_entry_of_l(pattern, row, leader);
    if (joins) continue;
    leader = row;
    starts[at(row)] = 1;
  }
}

class HostSupernodeFinder final : public SupernodeFinder {
 public:
  Side side() const noexcept override { return Side::host; }

  ProductPtr run(ProductPtr product, StageContext& context) const override {
    const auto& pattern = product_cast<ColumnPattern>(*product);
    // Stages make their products as objects that are not const; a copy would take as long as the
    // search.
    const_cast<ColumnPattern&>(pattern).supernodes =
        find_t3_supernodes(pattern, context.options.supernode_size);
    return product;
  }
};

}  // namespace

std::vector<Index> find_t3_supernodes(const ColumnPattern& pattern, Index most_rows) {
  const Index n = pattern.rows.n_rows;
  std::vector<char> starts(at(n), 0);
  const auto chunks = (Offset{n} + most_rows - 1) / most_rows;
#pragma omp parallel for schedule(dynamic, 16)
  for (Offset chunk = 0; chunk < chunks; ++chunk) {
    const auto begin = static_cast<Index>(chunk * most_rows);
    find_starts(pattern, begin, std::min<Index>(n - begin, most_rows) + begin, starts);
  }
  std::vector<Index> supernodes;
  for (Index row = 0; row < n; ++row) {
    if (starts[at(row)] != 0) supernodes.push_back(row);
  }
  supernodes.push_back(n);
  return supernodes;
}

std::unique_ptr<SupernodeFinder> make_host_supernode_finder() {
  return std::make_unique<HostSupernodeFinder>();
}

}  // namespace lufact
