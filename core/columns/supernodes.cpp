// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/supernodes.hpp"

#include <algorithm>

namespace lufact {
namespace {

Offset entries_of_u(const ChunkOfRows& chunk, std::size_t k) {
  return chunk.row_ptr[k + 1] - chunk.diagonal[k];
}

bool has_entry_of_l(const ChunkOfRows& chunk, std::size_t k, Index column) {
  return std::binary_search(chunk.columns + chunk.row_ptr[k], chunk.columns + chunk.diagonal[k],
                            column);
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

void append_supernode_starts(const ChunkOfRows& chunk, std::vector<Index>& starts) {
  Index leader = -1;
  for (std::size_t k = 0; k < chunk.diagonal.size(); ++k) {
    const bool joins = k > 0 && entries_of_u(chunk, k) == entries_of_u(chunk, k - 1) - 1 &&
                       has_entry_of_l(chunk, k, leader);
    if (joins) continue;
    leader = chunk.first_row + static_cast<Index>(k);
    starts.push_back(leader);
  }
}

std::vector<Index> find_t3_supernodes(const ColumnPattern& pattern, Index most_rows) {
  const Index n = pattern.rows.n_rows;
  const auto chunks = (Offset{n} + most_rows - 1) / most_rows;
  std::vector<std::vector<Index>> starts(at(chunks));
#pragma omp parallel for schedule(dynamic, 16)
  for (Offset chunk = 0; chunk < chunks; ++chunk) {
    const Offset begin = chunk * most_rows;
    const auto rows = std::min<Offset>(n - begin, most_rows);
    append_supernode_starts({std::span(pattern.rows.row_ptr).subspan(at(begin), at(rows) + 1),
                             std::span(pattern.diagonal).subspan(at(begin), at(rows)),
                             pattern.rows.col_idx.data(), static_cast<Index>(begin)},
                            starts[at(chunk)]);
  }
  std::vector<Index> supernodes;
  for (const std::vector<Index>& of_chunk : starts) {
    supernodes.insert(supernodes.end(), of_chunk.begin(), of_chunk.end());
  }
  supernodes.push_back(n);
  return supernodes;
}

std::unique_ptr<SupernodeFinder> make_host_supernode_finder() {
  return std::make_unique<HostSupernodeFinder>();
}

}  // namespace lufact
