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
// sizes n: the graph of make_planar without its diagonal: weights of the edges alone.
CsrMatrix make_planar_graph(std::span<const Offset> sizes, std::uint64_t seed);
// sizes nx, ny: the graph of make_hex without its diagonal.
CsrMatrix make_hex_graph(std::span<const Offset> sizes, std::uint64_t seed);

// Kinds with exactly nnz entries, in the place of a published matrix of that order.

// sizes n, nnz: a circuit with supply nets; see netlist.cpp.
CsrMatrix make_netlist(std::span<const Offset> sizes, std::uint64_t seed);
// sizes n, nnz, harmonics: a circuit in the frequency domain; see harmonic.cpp.
CsrMatrix make_harmonic(std::span<const Offset> sizes, std::uint64_t seed);
// sizes n, nnz, periods: an economic model over several periods; see economic.cpp.
CsrMatrix make_economic(std::span<const Offset> sizes, std::uint64_t seed);
// sizes n, nnz, unknowns, layers: a structure of finite elements, symmetric; see mesh.cpp. Throws
// UsageError where the mesh has fewer couplings.
CsrMatrix make_structural(std::span<const Offset> sizes, std::uint64_t seed);
// sizes as of make_structural: a flow; one in eight of the downstream couplings is missing.
CsrMatrix make_flow(std::span<const Offset> sizes, std::uint64_t seed);

}  // namespace lufact::generate
