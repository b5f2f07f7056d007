// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/paper/paper_steps.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/error.hpp"
#include "gpu/batch/built_orders.hpp"

namespace lufact::gpu::paper {
namespace {

ArrayStageFacts facts_of(const char* name, const char* description, ArrayOperation operation) {
  return {.name = name,
          .description = description,
          .source = "gpu/batch/paper",
          .workload = "batch",
          .side = Side::device,
          .operations = {operation},
          .layouts = {ArrayLayout::contiguous, ArrayLayout::pointers},
          .least_order = 1,
          .largest_order = largest_order,
          .built_orders = built_batch_orders(1, largest_order)};
}

ArrayStageFacts tuned(ArrayStageFacts facts) {
  facts.chooses_by_measurements = true;
  return facts;
}

std::vector<PaperStep> lu_steps() {
  const auto lu = [](const char* name, const char* description) {
    return facts_of(name, description, ArrayOperation::lu);
  };
  return {
      {.facts = lu("shared-2d", "BATCH section 4: in shared memory, a thread an entry"),
       .shape = BlockShape::entry_a_thread,
       .swap = SwapRule::greedy,
       .kernels = {{"shared_2d_lu"}}},
      {.facts = lu("shared-1d", "BATCH section 4: in shared memory, a thread a row"),
       .shape = BlockShape::row_a_thread,
       .swap = SwapRule::greedy,
       .kernels = {{"shared_1d_lu"}}},
      {.facts = lu("registers", "BATCH section 4: a row of registers a thread, a matrix a block"),
       .swap = SwapRule::greedy,
       .kernels = {{"registers_greedy_lu"}},
       .kernel_of_other_swap = "registers_lazy_lu"},
      {.facts =
           tuned(lu("registers-tuned", "BATCH section 5: registers, 1 to 16 matrices a block")),
       .swap = SwapRule::greedy,
       .kernels = {{"registers_greedy_lu"}},
       .kernel_of_other_swap = "registers_lazy_lu"},
      {.facts = tuned(
           lu("registers-lazy", "BATCH section 5, its final LU: no row is moved before the end")),
       .swap = SwapRule::lazy,
       .kernels = {{"registers_lazy_lu"}},
       .kernel_of_other_swap = "registers_greedy_lu"}};
}

std::vector<PaperStep> inverse_steps() {
  const auto inverse = [](const char* name, const char* description) {
    return tuned(facts_of(name, description, ArrayOperation::inverse));
  };
  return {{.facts = inverse("inverse-kernels",
                            "BATCH section 3: LU, interchanges of I, two triangular solves"),
           .kernels = {{"registers_lazy_lu"},
                       {"kernels_interchanges"},
                       {"kernels_lower_solve", true},
                       {"kernels_upper_solve", true}}},
          {.facts = inverse("inverse-augmented", "BATCH section 3: [A | I] in n x 2n registers"),
           .kernels = {{"augmented_inverse"}}},
          {.facts = inverse("inverse-fused",
                            "BATCH section 6, its final inversion: L overwritten by its inverse"),
           .kernels = {{"fused_inverse", true}}}};
}

}  // namespace

std::span<const PaperStep> paper_steps() {
  static const std::vector<PaperStep> steps = [] {
    std::vector<PaperStep> all = lu_steps();
    std::ranges::copy(inverse_steps(), std::back_inserter(all));
    return all;
  }();
  return steps;
}

const PaperStep& paper_step(std::string_view name) {
  const auto steps = paper_steps();
  const auto found = std::ranges::find(
      steps, name, [](const PaperStep& s) -> std::string_view { return s.facts.name; });
  if (found == steps.end()) throw Error(Outcome::error, "no_stage", "no such step of BATCH");
  return *found;
}

}  // namespace lufact::gpu::paper
