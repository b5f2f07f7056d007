// SPDX-License-Identifier: BSD-3-Clause
// Convection-dominated flow on a grid of cells with several unknowns per cell: first-order upwind
// differences of a field that rotates about the middle of the grid, with little diffusion.
#include <algorithm>
#include <cstdlib>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/row_builder.hpp"

namespace lufact::generate {
namespace {

constexpr Fixed kDiffusion = kOne / 8;
constexpr Fixed kConvection = 8 * kOne;  // at the rim of the grid
constexpr Fixed kReaction = kOne / 16;   // excess of the diagonal over its row

struct Flow {
  Offset nx, ny, unknowns;
  std::uint64_t seed;

  // The speed with which the flow at cell (x, y) moves in direction (dx, dy), a unit step along
  // one axis: negative where it comes from there.
  Fixed speed(Offset x, Offset y, Offset dx, Offset dy) const {
    const Fixed across = 2 * y + 1 - ny;
    const Fixed down = nx - 2 * x - 1;
    return (dx * across + dy * down) * kConvection / std::max(nx, ny);
  }

  std::uint64_t bits(Offset row, Offset col) const {
    return hash64(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col));
  }

  // The couplings of `row` (an unknown of cell (x, y)) with the unknowns of the neighbour at
  // (dx, dy). Upstream blocks are full; one in sixteen entries of a downstream block is missing.
  void add_block(RowBuilder& rows, Offset row, Offset dx, Offset dy) const {
    const Offset x = row / unknowns % nx;
    const Offset y = row / unknowns / nx;
    if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny) return;
    const Fixed towards = speed(x, y, dx, dy);
    const Fixed strength = kDiffusion + std::max<Fixed>(-towards, 0);
    const Offset first = (x + dx + nx * (y + dy)) * unknowns;
    for (Offset col = first; col < first + unknowns; ++col) {
      const std::uint64_t random = bits(row, col);
      if (towards > 0 && random % 16 == 0) continue;
      const bool same = col - first == row % unknowns;
      const Fixed size = same ? strength : strength / 4;
      const Fixed value = std::max<Fixed>(size * positive_weight(random) / kOne, 1);
      rows.add(static_cast<Index>(col), same || (random & 16U) != 0 ? -value : value);
    }
  }

  void add_own_block(RowBuilder& rows, Offset row) const {
    const Offset first = row / unknowns * unknowns;
    for (Offset col = first; col < first + unknowns; ++col) {
      if (col != row) rows.add(static_cast<Index>(col), signed_weight(bits(row, col)));
    }
  }
};

}  // namespace

CsrMatrix make_cfd(std::span<const Offset> sizes, std::uint64_t seed) {
  const Flow flow{sizes[0], sizes[1], sizes[2], seed};
  const Offset n = flow.nx * flow.ny * flow.unknowns;
  RowBuilder rows(static_cast<Index>(n), 5 * n * flow.unknowns);
  for (Offset row = 0; row < n; ++row) {
    flow.add_block(rows, row, 0, -1);
    flow.add_block(rows, row, -1, 0);
    flow.add_own_block(rows, row);
    flow.add_block(rows, row, 1, 0);
    flow.add_block(rows, row, 0, 1);
    rows.add_dominant_diagonal(static_cast<Index>(row), kReaction);
    rows.end_row();
  }
  return rows.take();
}

}  // namespace lufact::generate
