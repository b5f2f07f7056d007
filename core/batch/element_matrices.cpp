// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/element_matrices.hpp"

#include <array>
#include <cmath>

#include "core/batch/shape_functions.hpp"

namespace lufact {
namespace {

constexpr std::array shapes{ElementShape::tet4_elastic, ElementShape::hex8_heat,
                            ElementShape::hex8_elastic, ElementShape::tet10_elastic};
// Of the trace, what the mass adds to the stiffness.
constexpr double mass_share = 1e-2;

struct Material {
  double lame = 0, shear = 1;  // heat: the conductivity is `shear`
};

// Random numbers of one element; an attempt that gives a folded element is followed by another.
class Draws {
 public:
  Draws(std::uint64_t seed, Offset element, int attempt)
      : seed_(hash64(seed, static_cast<std::uint64_t>(attempt))),
        element_(static_cast<std::uint64_t>(element)) {}
  double symmetric() { return symmetric_interval(hash64(seed_, element_, drawn_++)); }
  double between(double low, double high) {
    return low + (high - low) * unit_interval(hash64(seed_, element_, drawn_++));
  }

 private:
  std::uint64_t seed_, element_, drawn_ = 0;
};

const ElementFamily& family_of(ElementShape shape) {
  switch (shape) {
    case ElementShape::tet4_elastic:
      return tet4_family();
    case ElementShape::tet10_elastic:
      return tet10_family();
    case ElementShape::hex8_heat:
    case ElementShape::hex8_elastic:
      break;
  }
  return hex8_family();
}

Index unknowns_of(ElementShape shape) noexcept {
  return shape == ElementShape::hex8_heat ? 1 : 3;
}

// Corners are moved by up to a tenth of the reference element's width and everything is stretched
// and sheared; nodes between two corners stay near their middle.
Nodes place_nodes(const ElementFamily& family, Draws& draws) {
  Nodes nodes = family.reference;
  for (int a = 0; a < family.corners; ++a) {
    for (double& x : nodes[static_cast<std::size_t>(a)])
      x += 0.1 * family.width * draws.symmetric();
  }
  for (int a = family.corners; a < family.nodes; ++a) {
    const auto [one, other] = family.middle_of[static_cast<std::size_t>(a - family.corners)];
    for (std::size_t d = 0; d < 3; ++d) {
      nodes[static_cast<std::size_t>(a)][d] = 0.5 * (nodes[static_cast<std::size_t>(one)][d] +
                                                     nodes[static_cast<std::size_t>(other)][d]) +
                                              0.02 * family.width * draws.symmetric();
    }
  }
  const Vector3 stretch{draws.between(0.25, 4), draws.between(0.25, 4), draws.between(0.25, 4)};
  const Vector3 shear{draws.symmetric(), draws.symmetric(), draws.symmetric()};
  for (Vector3& x : nodes) {
    x = {stretch[0] * (x[0] + shear[0] * x[1] + shear[1] * x[2]),
         stretch[1] * (x[1] + shear[2] * x[2]), stretch[2] * x[2]};
  }
  return nodes;
}

// Young's modulus over three orders of magnitude, Poisson's ratio short of incompressible.
Material make_material(Draws& draws) {
  const double young = std::exp2(draws.between(0, 10));
  const double poisson = draws.between(0.05, 0.45);
  return {.lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
          .shear = young / (2 * (1 + poisson))};
}

double dot(const Vector3& x, const Vector3& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// Adds weight times the 3 x 3 block of nodes a and b, whose shape functions have these gradients.
void add_elastic_block(double* block, Index n, const Vector3& a, const Vector3& b,
                       const Material& material, double weight) {
  const double diagonal = material.shear * dot(a, b);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) {
      block[i + j * at(n)] += weight * (material.lame * a[i] * b[j] + material.shear * a[j] * b[i] +
                                        (i == j ? diagonal : 0));
    }
  }
}

struct ElementSums {
  std::vector<double> stiffness, mass;  // by columns
};

void add_point(ElementSums& sums, const PhysicalPoint& point, int nodes, Index unknowns,
               const Material& material) {
  const Index n = nodes * unknowns;
  for (int b = 0; b < nodes; ++b) {
    for (int a = 0; a < nodes; ++a) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      const std::size_t place = at(Offset{a} * unknowns + Offset{b} * unknowns * n);
      if (unknowns == 1) {
        sums.stiffness[place] +=
            point.weight * material.shear * dot(point.gradient[i], point.gradient[j]);
      } else {
        add_elastic_block(&sums.stiffness[place], n, point.gradient[i], point.gradient[j], material,
                          point.weight);
      }
      for (Index d = 0; d < unknowns; ++d) {
        sums.mass[place + at(Offset{d} * (n + 1))] +=
            point.weight * point.value[i] * point.value[j];
      }
    }
  }
}

double trace(const std::vector<double>& matrix, Index n) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += matrix[at(Offset{i} * (n + 1))];
  return sum;
}

// False where the element is folded at an integration point.
bool integrate(ElementShape shape, Draws draws, ElementSums& sums) {
  const ElementFamily& family = family_of(shape);
  const Nodes nodes = place_nodes(family, draws);
  const Material material = make_material(draws);
  for (const QuadraturePoint& quadrature : family.points) {
    const PhysicalPoint point = physical_point(family, nodes, quadrature);
    if (!(point.weight > 0)) return false;
    add_point(sums, point, family.nodes, unknowns_of(shape), material);
  }
  return true;
}

void make_matrix(double* a, ElementShape shape, bool floating, std::uint64_t seed, Offset element) {
  const Index n = order_of(shape);
  ElementSums sums;
  for (int attempt = 0;; ++attempt) {
    sums.stiffness.assign(at(Offset{n} * n), 0);
    sums.mass.assign(at(Offset{n} * n), 0);
    if (integrate(shape, Draws(seed, element, attempt), sums)) break;
  }
  const double share = floating ? 0 : mass_share * trace(sums.stiffness, n) / trace(sums.mass, n);
  for (std::size_t e = 0; e < sums.mass.size(); ++e)
    a[e] = sums.stiffness[e] + share * sums.mass[e];
}

}  // namespace

std::string_view to_string(ElementShape shape) noexcept {
  switch (shape) {
    case ElementShape::tet4_elastic:
      return "tet4-elastic";
    case ElementShape::hex8_heat:
      return "hex8-heat";
    case ElementShape::hex8_elastic:
      return "hex8-elastic";
    case ElementShape::tet10_elastic:
      return "tet10-elastic";
  }
  return "tet4-elastic";
}

std::span<const ElementShape> element_shapes() noexcept {
  return shapes;
}

std::optional<ElementShape> parse_element_shape(std::string_view name) noexcept {
  for (const ElementShape shape : shapes) {
    if (to_string(shape) == name) return shape;
  }
  return std::nullopt;
}

Index order_of(ElementShape shape) noexcept {
  switch (shape) {
    case ElementShape::tet4_elastic:
      return 12;
    case ElementShape::hex8_heat:
      return 8;
    case ElementShape::hex8_elastic:
      return 24;
    case ElementShape::tet10_elastic:
      return 30;
  }
  return 12;
}

Index deficiency_of(ElementShape shape) noexcept {
  return shape == ElementShape::hex8_heat ? 1 : 6;
}

GivenMatrices element_matrices(ElementShape shape, bool floating, Offset count,
                               std::uint64_t seed) {
  const Index n = order_of(shape);
  checked_bytes(count, sizeof(double) * at(Offset{n} * n));
  GivenMatrices result{.n = n, .count = count, .values = std::vector<double>(at(count * n * n))};
  for (Offset k = 0; k < count; ++k) {
    make_matrix(result.values.data() + k * n * n, shape, floating, seed, k);
  }
  return result;
}

}  // namespace lufact
