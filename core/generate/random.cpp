// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/random.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "core/generate/kinds.hpp"
#include "core/generate/row_builder.hpp"

namespace lufact::generate {
namespace {

// Fisher and Yates' shuffle.
std::vector<Index> random_permutation(Index n, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) {
    const auto bits = hash64(seed, static_cast<std::uint64_t>(i), ~std::uint64_t{0});
    const auto j = static_cast<std::size_t>(uniform_below(bits, Offset{i} + 1));
    std::swap(order[static_cast<std::size_t>(i)], order[j]);
  }
  return order;
}

// Floyd's sampling without replacement (Bentley and Floyd, CACM 30, 1987): calls visit(col) for
// `count` different columns of [0, n). `owner` marks the columns taken by `row`.
template <class Visit>
void sample_columns(Index n, Offset count, Index row, std::uint64_t seed, std::vector<Index>& owner,
                    const Visit& visit) {
  for (Offset last = Offset{n} - count; last < n; ++last) {
    const auto bits =
        hash64(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(last));
    auto col = static_cast<std::size_t>(uniform_below(bits, last + 1));
    if (owner[col] == row) col = static_cast<std::size_t>(last);
    owner[col] = row;
    visit(static_cast<Index>(col), bits);
  }
}

}  // namespace

CsrMatrix make_random(std::span<const Offset> sizes, std::uint64_t seed) {
  const auto n = static_cast<Index>(sizes[0]);
  const std::vector<Index> matched = random_permutation(n, seed);
  std::vector<Index> owner(static_cast<std::size_t>(n), Index{-1});
  RowBuilder rows(n, Offset{n} * sizes[1]);
  for (Index row = 0; row < n; ++row) {
    // The matched column is swapped with the last one, so that the sample leaves it out.
    const Index own = matched[static_cast<std::size_t>(row)];
    sample_columns(n - 1, sizes[1] - 1, row, seed, owner, [&](Index col, std::uint64_t bits) {
      rows.add(col == own ? n - 1 : col, signed_weight(mix64(bits)));
    });
    rows.add_dominant_diagonal(own, kOne / 16);
    rows.end_row();
  }
  return rows.take();
}

}  // namespace lufact::generate
