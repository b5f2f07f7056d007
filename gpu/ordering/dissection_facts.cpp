// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ordering/dissection_ordering.hpp"

namespace lufact::gpu {

const OrderingFacts& dissection_ordering_facts() {
  static const OrderingFacts facts{
      .info = {.name = "nd-gpu",
               .description =
                   "the order of nd-parallel; A + A', partition and separator on the GPU, minimum "
                   "degree on all threads",
               .source = "gpu/ordering",
               .side = Side::device,
               .takes = {product_types::matching},
               .gives = product_types::ordering,
               .on_host = "nd-parallel"}};
  return facts;
}

}  // namespace lufact::gpu
