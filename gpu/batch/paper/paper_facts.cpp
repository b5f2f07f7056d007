// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/paper/paper_stages.hpp"
#include "gpu/batch/paper/paper_steps.hpp"

namespace lufact::gpu {

const ArrayStageFacts& shared_2d_array_facts() {
  return paper::paper_step("shared-2d").facts;
}
const ArrayStageFacts& shared_1d_array_facts() {
  return paper::paper_step("shared-1d").facts;
}
const ArrayStageFacts& registers_array_facts() {
  return paper::paper_step("registers").facts;
}
const ArrayStageFacts& registers_tuned_array_facts() {
  return paper::paper_step("registers-tuned").facts;
}
const ArrayStageFacts& registers_lazy_array_facts() {
  return paper::paper_step("registers-lazy").facts;
}
const ArrayStageFacts& inverse_kernels_array_facts() {
  return paper::paper_step("inverse-kernels").facts;
}
const ArrayStageFacts& inverse_augmented_array_facts() {
  return paper::paper_step("inverse-augmented").facts;
}
const ArrayStageFacts& inverse_fused_array_facts() {
  return paper::paper_step("inverse-fused").facts;
}

}  // namespace lufact::gpu
