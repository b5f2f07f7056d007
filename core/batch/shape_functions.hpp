// SPDX-License-Identifier: BSD-3-Clause
// Isoparametric finite elements in space: shape functions and integration points.
#pragma once
#include <array>
#include <span>
#include <utility>

namespace lufact {

using Vector3 = std::array<double, 3>;

inline constexpr int most_element_nodes = 10;
using Nodes = std::array<Vector3, most_element_nodes>;

struct QuadraturePoint {
  Vector3 place{};  // in the reference element
  double weight = 0;
};

struct ShapeValues {
  std::array<double, most_element_nodes> value{};
  Nodes gradient{};  // of each shape function
};

// The reference element: corners first, then nodes in the middle of two corners.
struct ElementFamily {
  int nodes = 0, corners = 0;
  double width = 1;
  Nodes reference{};
  std::array<std::pair<int, int>, 6> middle_of{};
  std::span<const QuadraturePoint> points;
  ShapeValues (*shape)(const Vector3& place) = nullptr;
};

// Linear tetrahedron, trilinear hexahedron on [-1, 1]^3, quadratic tetrahedron. Tetrahedra are
// integrated at four points (degree 2), the hexahedron at 2 x 2 x 2 points of Gauss.
const ElementFamily& tet4_family();
const ElementFamily& hex8_family();
const ElementFamily& tet10_family();

// An integration point of an element in space: gradients with respect to its coordinates, and the
// volume that the point stands for, not positive where the element is folded there.
struct PhysicalPoint {
  std::array<double, most_element_nodes> value{};
  Nodes gradient{};
  double weight = 0;
};
PhysicalPoint physical_point(const ElementFamily& family, const Nodes& nodes,
                             const QuadraturePoint& quadrature);

}  // namespace lufact
