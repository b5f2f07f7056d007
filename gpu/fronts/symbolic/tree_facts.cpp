// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/front_products.hpp"
#include "gpu/fronts/symbolic/tree_symbolic.hpp"

namespace lufact::gpu {

const SymbolicFacts& tree_symbolic_facts() {
  static const SymbolicFacts facts{
      .info = {
          .name = "gpu-fronts",
          .description = "fronts as those of cpu-fronts, found on the GPU; the host merges sets",
          .source = "gpu/fronts/symbolic",
          .side = Side::device,
          .takes = {product_types::permuted_matrix},
          .gives = product_types::front_tree,
          .finds_postorder = true}};
  return facts;
}

}  // namespace lufact::gpu
