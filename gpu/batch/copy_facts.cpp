// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/copy_array.hpp"

namespace lufact::gpu {

const ArrayStageFacts& copy_array_facts() {
  static const ArrayStageFacts facts{
      .name = "copy",
      .description = "moves the bytes of the operation and computes nothing: the yardstick",
      .source = "gpu/batch",
      .workload = "batch",
      .side = Side::device,
      .operations = {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve},
      .layouts = {ArrayLayout::contiguous, ArrayLayout::interleaved, ArrayLayout::pointers},
      .pivoting = {ArrayPivoting::partial, ArrayPivoting::none},
      .least_order = 1,
      .largest_order = 64};
  return facts;
}

}  // namespace lufact::gpu
