// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {

const StageInfo& ooc_symbolic_info() {
  static const StageInfo info{
      "gpu-ooc",
      "E2E Algorithms 1, 3 and 4: fill2 search per source row, two passes, chunks sized by part",
      Side::device,
      true,
      {product_types::permuted_matrix},
      product_types::column_pattern};
  return info;
}

const StageInfo& host_loop_levelize_info() {
  static const StageInfo info{"gpu-host-loop",
                              "Kahn's algorithm, one launch per level, the host reads the queue",
                              Side::device,
                              true,
                              {product_types::column_pattern},
                              product_types::column_schedule};
  return info;
}

const StageInfo& binary_search_numeric_info() {
  static const StageInfo info{
      "gpu-binary-search",
      "E2E Algorithm 6: right-looking column levels over sorted CSC, binary search, atomics",
      Side::device,
      false,
      {product_types::permuted_matrix, product_types::column_pattern,
       product_types::column_schedule},
      product_types::column_factors,
      {"sync-free", "level"}};
  return info;
}

}  // namespace lufact::gpu
