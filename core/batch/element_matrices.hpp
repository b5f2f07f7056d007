// SPDX-License-Identifier: BSD-3-Clause
// The matrices of single finite elements.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/batch/batch_input.hpp"

namespace lufact {

enum class ElementShape { tet4_elastic, hex8_heat, hex8_elastic, tet10_elastic };
std::string_view to_string(ElementShape shape) noexcept;
std::optional<ElementShape> parse_element_shape(std::string_view name) noexcept;
std::span<const ElementShape> element_shapes() noexcept;
// Nodes times unknowns of a node.
Index order_of(ElementShape shape) noexcept;
// Of a floating element's matrix: the rigid motions, or the constant temperature.
Index deficiency_of(ElementShape shape) noexcept;

// Stiffness (elastic: linear isotropic elasticity; heat: conduction) of `count` distorted,
// stretched and sheared elements of various materials, by numerical integration of isoparametric
// shape functions (Hughes, The Finite Element Method, 1987, chapters 3 and 4); unknowns by node.
// Without `floating` a share of the consistent mass is added, as an implicit step in time does;
// with it the matrix is singular, by deficiency_of(), to rounding.
GivenMatrices element_matrices(ElementShape shape, bool floating, Offset count, std::uint64_t seed);

}  // namespace lufact
