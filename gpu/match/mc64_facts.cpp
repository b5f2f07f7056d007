// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/match/mc64_scaling.hpp"

namespace lufact::gpu {

const ScalingFacts& mc64_scaling_facts() {
  static const ScalingFacts facts{
      .info = {.name = "gpu-mc64",
               .description = "the matching and scaling of mc64 on the GPU, all free rows at once; "
                              "scaled entries up to 1.02",
               .source = "gpu/match",
               .side = Side::device,
               .takes = {product_types::matrix},
               .gives = product_types::matching,
               .on_host = "mc64"}};
  return facts;
}

}  // namespace lufact::gpu
