// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_symbolic.hpp"
#include "gpu/gsofa/gsofa_work_bytes.hpp"

namespace lufact::gpu {

const SymbolicFacts& gsofa_symbolic_facts() {
  static const SymbolicFacts facts{
      .info = {.name = "gpu-gsofa",
               .description = "GSoFa: level-synchronous search of many source rows at once, with "
                              "supernodes and a memory budget",
               .source = "gpu/gsofa",
               .side = Side::device,
               .takes = {product_types::permuted_matrix},
               .gives = product_types::column_pattern,
               .several_devices = true,
               .several_ranks = true},
      .work_bytes = gsofa_work_bytes};
  return facts;
}

}  // namespace lufact::gpu
