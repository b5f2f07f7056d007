// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/pivot_blocks.hpp"

#include <algorithm>

#include "core/fronts/numeric/host_front_factors.hpp"

namespace lufact {

PivotBlocks pivot_blocks(const ProductPtr& matrix, const ProductPtr& tree,
                         const ProductPtr& schedule, Index largest, StageContext& context) {
  const auto& fronts = product_cast<FrontTree>(*tree);
  PivotBlocks blocks;
  std::vector<Offset> place(at(fronts.fronts()), -1);  // in `values`, of each front that is kept
  Offset entries = 0;
  for (Index f = 0; f < fronts.fronts(); ++f) {
    const Index pivots = fronts.pivots(f);
    if (pivots > largest) ++blocks.left_out;
    if (pivots == 0 || pivots > largest) continue;
    place[at(f)] = entries;
    entries += Offset{pivots} * pivots;
    blocks.order.push_back(pivots);
  }
  checked_bytes(entries, sizeof(double));
  blocks.values.resize(at(entries));
  HostFrontFactors<double> factors(tree, schedule, context.options.pivoting,
                                   context.options.threads);
  factors.observe_pivot_blocks([&](Index f, const double* block, Offset stride) {
    if (place[at(f)] < 0) return;
    const Index pivots = fronts.pivots(f);
    double* to = blocks.values.data() + place[at(f)];
    for (Index j = 0; j < pivots; ++j, to += pivots) std::copy_n(block + j * stride, pivots, to);
  });
  factors.refactor(matrix, context);
  return blocks;
}

}  // namespace lufact
