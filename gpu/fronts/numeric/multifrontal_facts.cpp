// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/front_products.hpp"
#include "gpu/fronts/numeric/front_bytes.hpp"
#include "gpu/fronts/numeric/multifrontal_numeric.hpp"

namespace lufact::gpu {

const NumericFacts& multifrontal_numeric_facts() {
  static const NumericFacts facts{
      .info = {.name = "gpu-multifrontal",
               .description =
                   "fronts in 64 x 64 tiles, one persistent kernel over the task graph; a fixed "
                   "summation order",
               .source = "gpu/fronts/numeric",
               .side = Side::device,
               .takes = {product_types::permuted_matrix, product_types::front_tree,
                         product_types::task_graph},
               .gives = product_types::front_factors,
               .solve_methods = {"task-graph"},
               .pivots_in_block = true,
               .solves_transposed = true},
      .resident_bytes = front_resident_bytes};
  return facts;
}

}  // namespace lufact::gpu
