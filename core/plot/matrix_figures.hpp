// SPDX-License-Identifier: BSD-3-Clause
// The figures of one matrix: what it is, what elimination makes of it, and in which order.
#pragma once
#include <span>
#include <string>

#include "core/fronts/analysis/supernodes.hpp"
#include "core/plot/density.hpp"
#include "core/plot/figure.hpp"
#include "core/structure/entry_facts.hpp"

namespace lufact::plot {

// `pattern`: A as it was read.
Figure input_figure(const DensityGrid& a);
// `ordered`: B, which is A behind a matching and an ordering of these names.
Figure ordered_figure(const DensityGrid& b, const std::string& matching,
                      const std::string& ordering);
// `factors`: L + U, the cells that have entries of B apart from those that fill alone has made. Of
// a bound of the pattern unless `exact`.
Figure factor_figure(const DensityGrid& b, const DensityGrid& factors, bool exact);
// `tree`: columns by position in a postorder and height in the elimination forest.
Figure tree_figure(std::span<const Index> height);
// `levels`: columns of each height.
Figure level_figure(std::span<const Offset> widths);
// `fronts`: how large they are, and which of them have the operations.
Figure front_figure(const Supernodes& fronts);
// `degrees`: entries of rows and of columns of A.
Figure degree_figure(const Degrees& degrees);

// Operations of the pivots of a front: one per division, two per multiply-add.
double front_flops(Offset pivots, Offset rows) noexcept;

}  // namespace lufact::plot
