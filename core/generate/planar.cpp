// SPDX-License-Identifier: BSD-3-Clause
// A planar triangulation of about square shape: grid cells, each cut by one of its two diagonals,
// chosen at random (a random edge flip per cell). The last grid row may be shorter; where it ends,
// the one diagonal whose ends both exist closes the mesh.
#include <algorithm>
#include <array>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/row_builder.hpp"

namespace lufact::generate {
namespace {

constexpr Fixed kGround = kOne / 16;

Offset integer_root(Offset n) {
  Offset root = 1;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

struct Triangulation {
  Offset n, width;
  std::uint64_t seed;
  bool with_diagonal;

  bool exists(Offset x, Offset y) const {
    return x >= 0 && x < width && y >= 0 && x + width * y < n;
  }

  // Whether the cell with corners (x, y) and (x + 1, y + 1) is cut from its corner (x, y); the
  // other cut joins (x + 1, y) and (x, y + 1).
  bool cut_from_origin(Offset x, Offset y) const {
    if (!exists(x + 1, y + 1)) return false;
    const auto cell = static_cast<std::uint64_t>(x + width * y);
    return (hash64(seed, cell, ~std::uint64_t{0}) & 1U) != 0;
  }

  // Whether the vertices (x, y) and (x + dx, y + dy), both existing, share an edge; |dx|, |dy|
  // <= 1.
  bool has_edge(Offset x, Offset y, Offset dx, Offset dy) const {
    if (dx == 0 || dy == 0) return true;
    return cut_from_origin(std::min(x, x + dx), std::min(y, y + dy)) == (dx == dy);
  }

  void add_row(RowBuilder& rows, Offset i) const {
    static constexpr std::array<std::array<Offset, 2>, 8> kSteps{
        {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
    const Offset x = i % width;
    const Offset y = i / width;
    for (const auto& [dx, dy] : kSteps) {
      if (!exists(x + dx, y + dy) || !has_edge(x, y, dx, dy)) continue;
      const Offset j = i + dx + width * dy;
      const auto low = static_cast<std::uint64_t>(std::min(i, j));
      const auto high = static_cast<std::uint64_t>(std::max(i, j));
      rows.add(static_cast<Index>(j), -positive_weight(hash64(seed, low, high)));
    }
    if (with_diagonal) rows.add_dominant_diagonal(static_cast<Index>(i), kGround);
    rows.end_row();
  }
};

CsrMatrix make_triangulation(Offset n, std::uint64_t seed, bool with_diagonal) {
  const Triangulation mesh{n, std::max<Offset>(integer_root(n), 2), seed, with_diagonal};
  // A planar graph has at most 3 n - 6 edges.
  RowBuilder rows(static_cast<Index>(n), 7 * n);
  for (Offset i = 0; i < n; ++i) mesh.add_row(rows, i);
  return rows.take();
}

}  // namespace

CsrMatrix make_planar(std::span<const Offset> sizes, std::uint64_t seed) {
  return make_triangulation(sizes[0], seed, true);
}

CsrMatrix make_planar_graph(std::span<const Offset> sizes, std::uint64_t seed) {
  return make_triangulation(sizes[0], seed, false);
}

}  // namespace lufact::generate
