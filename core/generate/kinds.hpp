// SPDX-License-Identifier: BSD-3-Clause
// The makers behind the catalogue of generate.cpp. `sizes` holds the sizes of the kind in the
// catalogue's order, already checked: each at least its minimum, the order of the matrix an Index.
#pragma once
#include <cstdint>
#include <span>

#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact::generate {

// sizes nx, ny: 5-point conductance network on a grid, symmetric positive definite.
CsrMatrix make_grid2d(std::span<const Offset> sizes, std::uint64_t seed);
// sizes nx, ny, nz: 7-point conductance network on a grid, symmetric positive definite.
CsrMatrix make_grid3d(std::span<const Offset> sizes, std::uint64_t seed);
// sizes nx, ny, nz, unknowns: nodes of trilinear hexahedra, each coupled with the up to 27 nodes
// of the elements around it by dense blocks; symmetric positive definite.
CsrMatrix make_fem3d(std::span<const Offset> sizes, std::uint64_t seed);
// sizes nx, ny, unknowns: upwind differences of a rotating flow; unsymmetric values, and about one
// in sixteen of the downstream couplings is missing.
CsrMatrix make_cfd(std::span<const Offset> sizes, std::uint64_t seed);
// sizes n: modified nodal analysis of a random circuit; see circuit.cpp.
CsrMatrix make_circuit(std::span<const Offset> sizes, std::uint64_t seed);
// sizes n: the graph of a planar triangulation, symmetric positive definite.
CsrMatrix make_planar(std::span<const Offset> sizes, std::uint64_t seed);
// sizes nx, ny: vertices of a hexagonal mesh (degree <= 3), symmetric positive definite.
CsrMatrix make_hex(std::span<const Offset> sizes, std::uint64_t seed);
// sizes n, nnz_per_row: uniformly random unsymmetric pattern that contains a random permutation,
// whose entries dominate their rows.
CsrMatrix make_random(std::span<const Offset> sizes, std::uint64_t seed);

}  // namespace lufact::generate
