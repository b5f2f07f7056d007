// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/shape_functions.hpp"

#include <cstddef>

namespace lufact {
namespace {

using std::size_t;
using Matrix3 = std::array<Vector3, 3>;

// (5 - sqrt(5)) / 20 and 1 - 3 times that: the points of degree 2 in a tetrahedron.
constexpr double near_face = 0.1381966011250105, near_corner = 0.5854101966249685;
constexpr std::array<QuadraturePoint, 4> tetrahedron_points{
    {{{near_face, near_face, near_face}, 1.0 / 24},
     {{near_corner, near_face, near_face}, 1.0 / 24},
     {{near_face, near_corner, near_face}, 1.0 / 24},
     {{near_face, near_face, near_corner}, 1.0 / 24}}};

constexpr double gauss = 0.5773502691896258;  // 1 / sqrt(3)
constexpr std::array<QuadraturePoint, 8> hexahedron_points{{{{-gauss, -gauss, -gauss}, 1},
                                                            {{gauss, -gauss, -gauss}, 1},
                                                            {{-gauss, gauss, -gauss}, 1},
                                                            {{gauss, gauss, -gauss}, 1},
                                                            {{-gauss, -gauss, gauss}, 1},
                                                            {{gauss, -gauss, gauss}, 1},
                                                            {{-gauss, gauss, gauss}, 1},
                                                            {{gauss, gauss, gauss}, 1}}};

constexpr std::array<Vector3, 4> tetrahedron_corners{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr std::array<std::pair<int, int>, 6> tetrahedron_edges{
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};

// Of the linear functions that are 1 at one corner.
constexpr std::array<Vector3, 4> barycentric_gradient{
    {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::array<double, 4> barycentric(const Vector3& x) {
  return {1 - x[0] - x[1] - x[2], x[0], x[1], x[2]};
}

ShapeValues tet4_shape(const Vector3& place) {
  ShapeValues shape;
  const auto l = barycentric(place);
  for (size_t a = 0; a < 4; ++a) {
    shape.value[a] = l[a];
    shape.gradient[a] = barycentric_gradient[a];
  }
  return shape;
}

ShapeValues tet10_shape(const Vector3& place) {
  ShapeValues shape;
  const auto l = barycentric(place);
  for (size_t a = 0; a < 4; ++a) {
    shape.value[a] = l[a] * (2 * l[a] - 1);
    for (size_t d = 0; d < 3; ++d) {
      shape.gradient[a][d] = (4 * l[a] - 1) * barycentric_gradient[a][d];
    }
  }
  for (size_t e = 0; e < tetrahedron_edges.size(); ++e) {
    const auto a = static_cast<size_t>(tetrahedron_edges[e].first);
    const auto b = static_cast<size_t>(tetrahedron_edges[e].second);
    shape.value[4 + e] = 4 * l[a] * l[b];
    for (size_t d = 0; d < 3; ++d) {
      shape.gradient[4 + e][d] =
          4 * (l[a] * barycentric_gradient[b][d] + l[b] * barycentric_gradient[a][d]);
    }
  }
  return shape;
}

// The corner a has the coordinates +-1 that the bits of a say.
Vector3 hexahedron_corner(size_t a) {
  return {(a & 1U) != 0 ? 1.0 : -1.0, (a & 2U) != 0 ? 1.0 : -1.0, (a & 4U) != 0 ? 1.0 : -1.0};
}

ShapeValues hex8_shape(const Vector3& place) {
  ShapeValues shape;
  for (size_t a = 0; a < 8; ++a) {
    const Vector3 corner = hexahedron_corner(a);
    const Vector3 factor{1 + corner[0] * place[0], 1 + corner[1] * place[1],
                         1 + corner[2] * place[2]};
    shape.value[a] = factor[0] * factor[1] * factor[2] / 8;
    shape.gradient[a] = {corner[0] * factor[1] * factor[2] / 8,
                         corner[1] * factor[0] * factor[2] / 8,
                         corner[2] * factor[0] * factor[1] / 8};
  }
  return shape;
}

ElementFamily make_tetrahedron(int nodes, ShapeValues (*shape)(const Vector3&)) {
  ElementFamily family{.nodes = nodes,
                       .corners = 4,
                       .width = 1,
                       .middle_of = tetrahedron_edges,
                       .points = tetrahedron_points,
                       .shape = shape};
  for (size_t a = 0; a < 4; ++a) family.reference[a] = tetrahedron_corners[a];
  return family;
}

// The transpose of the inverse times the determinant.
Matrix3 cofactors(const Matrix3& m) {
  const auto minor = [&m](size_t i, size_t j) {
    const size_t r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return m[r][c] * m[s][d] - m[r][d] * m[s][c];
  };
  Matrix3 result{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) result[i][j] = minor(i, j);
  }
  return result;
}

}  // namespace

const ElementFamily& tet4_family() {
  static const ElementFamily family = make_tetrahedron(4, tet4_shape);
  return family;
}

const ElementFamily& tet10_family() {
  static const ElementFamily family = make_tetrahedron(10, tet10_shape);
  return family;
}

const ElementFamily& hex8_family() {
  static const ElementFamily family = [] {
    ElementFamily made{
        .nodes = 8, .corners = 8, .width = 2, .points = hexahedron_points, .shape = hex8_shape};
    for (size_t a = 0; a < 8; ++a) made.reference[a] = hexahedron_corner(a);
    return made;
  }();
  return family;
}

PhysicalPoint physical_point(const ElementFamily& family, const Nodes& nodes,
                             const QuadraturePoint& quadrature) {
  const ShapeValues shape = family.shape(quadrature.place);
  Matrix3 jacobian{};  // row i: the gradient of coordinate i
  for (size_t a = 0; a < static_cast<size_t>(family.nodes); ++a) {
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) jacobian[i][j] += nodes[a][i] * shape.gradient[a][j];
    }
  }
  const Matrix3 cofactor = cofactors(jacobian);
  const double determinant = jacobian[0][0] * cofactor[0][0] + jacobian[0][1] * cofactor[0][1] +
                             jacobian[0][2] * cofactor[0][2];
  PhysicalPoint point{.value = shape.value, .weight = determinant * quadrature.weight};
  for (size_t a = 0; a < static_cast<size_t>(family.nodes); ++a) {
    for (size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 3; ++j) sum += cofactor[i][j] * shape.gradient[a][j];
      point.gradient[a][i] = sum / determinant;
    }
  }
  return point;
}

}  // namespace lufact
