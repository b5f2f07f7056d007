// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/fill2/fill2_symbolic.hpp"

namespace lufact::gpu {

const SymbolicFacts& fill2_symbolic_facts() {
  static const SymbolicFacts facts{
      .info = {.name = "gpu-fill2",
               .description =
                   "the fill2 search tuned freely, in one or two passes under the same budget",
               .source = "gpu/symbolic/fill2",
               .side = Side::device,
               .takes = {product_types::permuted_matrix},
               .gives = product_types::column_pattern}};
  return facts;
}

}  // namespace lufact::gpu
