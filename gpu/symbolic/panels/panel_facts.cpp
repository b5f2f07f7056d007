// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/panels/panel_symbolic.hpp"

namespace lufact::gpu {

const SymbolicFacts& panel_symbolic_facts() {
  static const SymbolicFacts facts{
      .info = {
          .name = "gpu-panels",
          .description = "bits of 32 columns on the elimination forest of A + A', without a search",
          .source = "gpu/symbolic/panels",
          .side = Side::device,
          .takes = {product_types::permuted_matrix},
          .gives = product_types::column_pattern}};
  return facts;
}

}  // namespace lufact::gpu
