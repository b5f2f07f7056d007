// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/base/random.hpp"
#include "core/generate/kinds.hpp"
#include "core/generate/row_builder.hpp"

namespace lufact::generate {
namespace {

constexpr Fixed kShift = kOne / 16;

// The value of (row, col) and of (col, row).
Fixed symmetric_value(Offset row, Offset col, std::uint64_t seed) {
  const auto low = static_cast<std::uint64_t>(std::min(row, col));
  const auto high = static_cast<std::uint64_t>(std::max(row, col));
  return signed_weight(hash64(seed, low, high));
}

struct Mesh {
  Offset nx, ny, nz, unknowns;

  // Calls visit(node) for every node of the elements around node i, itself included.
  template <class Visit>
  void for_each_neighbour(Offset i, const Visit& visit) const {
    const Offset x = i % nx;
    const Offset y = i / nx % ny;
    const Offset z = i / nx / ny;
    for (Offset c = std::max<Offset>(z - 1, 0); c <= std::min(z + 1, nz - 1); ++c) {
      for (Offset b = std::max<Offset>(y - 1, 0); b <= std::min(y + 1, ny - 1); ++b) {
        for (Offset a = std::max<Offset>(x - 1, 0); a <= std::min(x + 1, nx - 1); ++a) {
          visit(a + nx * (b + ny * c));
        }
      }
    }
  }
};

}  // namespace

CsrMatrix make_fem3d(std::span<const Offset> sizes, std::uint64_t seed) {
  const Mesh mesh{sizes[0], sizes[1], sizes[2], sizes[3]};
  const Offset nodes = mesh.nx * mesh.ny * mesh.nz;
  const Offset u = mesh.unknowns;
  // A node has at most 3 neighbours along each axis, itself included.
  const Offset stencil =
      std::min<Offset>(mesh.nx, 3) * std::min<Offset>(mesh.ny, 3) * std::min<Offset>(mesh.nz, 3);
  RowBuilder rows(static_cast<Index>(nodes * u), nodes * stencil * u * u);
  for (Offset row = 0; row < nodes * u; ++row) {
    mesh.for_each_neighbour(row / u, [&](Offset node) {
      for (Offset col = node * u; col < (node + 1) * u; ++col) {
        if (col != row) rows.add(static_cast<Index>(col), symmetric_value(row, col, seed));
      }
    });
    rows.add_dominant_diagonal(static_cast<Index>(row), kShift);
    rows.end_row();
  }
  return rows.take();
}

}  // namespace lufact::generate
