// SPDX-License-Identifier: BSD-3-Clause
// Grid graphs: 5-point, 7-point and the hexagonal mesh. Unknown (x, y, z) has the number
// x + nx (y + ny z). An edge's conductance depends on its two ends only, so both of its rows agree.
#include <algorithm>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/row_builder.hpp"

namespace lufact::generate {
namespace {

// Conductance to the ground of every node: what makes the matrix nonsingular.
constexpr Fixed kGround = kOne / 16;

void add_edge(RowBuilder& rows, Offset from, Offset to, std::uint64_t seed) {
  const auto low = static_cast<std::uint64_t>(std::min(from, to));
  const auto high = static_cast<std::uint64_t>(std::max(from, to));
  rows.add(static_cast<Index>(to), -positive_weight(hash64(seed, low, high)));
}

CsrMatrix make_grid(Offset nx, Offset ny, Offset nz, std::uint64_t seed) {
  const Offset n = nx * ny * nz;
  RowBuilder rows(static_cast<Index>(n), 7 * n);
  for (Offset i = 0; i < n; ++i) {
    const Offset x = i % nx;
    const Offset y = i / nx % ny;
    const Offset z = i / nx / ny;
    if (z > 0) add_edge(rows, i, i - nx * ny, seed);
    if (y > 0) add_edge(rows, i, i - nx, seed);
    if (x > 0) add_edge(rows, i, i - 1, seed);
    if (x + 1 < nx) add_edge(rows, i, i + 1, seed);
    if (y + 1 < ny) add_edge(rows, i, i + nx, seed);
    if (z + 1 < nz) add_edge(rows, i, i + nx * ny, seed);
    rows.add_dominant_diagonal(static_cast<Index>(i), kGround);
    rows.end_row();
  }
  return rows.take();
}

// The hexagonal mesh drawn as a brick wall: every horizontal edge of the grid, and the vertical
// edge above (x, y) where x + y is even.
CsrMatrix make_hex_mesh(Offset nx, Offset ny, std::uint64_t seed, bool with_diagonal) {
  const Offset n = nx * ny;
  RowBuilder rows(static_cast<Index>(n), 4 * n);
  for (Offset i = 0; i < n; ++i) {
    const Offset x = i % nx;
    const Offset y = i / nx;
    const bool even = (x + y) % 2 == 0;
    if (y > 0 && !even) add_edge(rows, i, i - nx, seed);
    if (x > 0) add_edge(rows, i, i - 1, seed);
    if (x + 1 < nx) add_edge(rows, i, i + 1, seed);
    if (y + 1 < ny && even) add_edge(rows, i, i + nx, seed);
    if (with_diagonal) rows.add_dominant_diagonal(static_cast<Index>(i), kGround);
    rows.end_row();
  }
  return rows.take();
}

}  // namespace

CsrMatrix make_grid2d(std::span<const Offset> sizes, std::uint64_t seed) {
  return make_grid(sizes[0], sizes[1], 1, seed);
}

CsrMatrix make_grid3d(std::span<const Offset> sizes, std::uint64_t seed) {
  return make_grid(sizes[0], sizes[1], sizes[2], seed);
}

CsrMatrix make_hex(std::span<const Offset> sizes, std::uint64_t seed) {
  return make_hex_mesh(sizes[0], sizes[1], seed, true);
}

CsrMatrix make_hex_graph(std::span<const Offset> sizes, std::uint64_t seed) {
  return make_hex_mesh(sizes[0], sizes[1], seed, false);
}

}  // namespace lufact::generate
