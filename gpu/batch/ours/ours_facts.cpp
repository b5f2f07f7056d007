// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/ours/ours_facts.hpp"

#include "gpu/batch/built_orders.hpp"
#include "gpu/batch/ours/lane_layouts.hpp"

namespace lufact::gpu {
namespace {

ArrayStageFacts facts_of(std::string name, std::string description,
                         std::vector<ArrayOperation> operations, Index least, Index largest) {
  using enum ArrayLayout;
  return {.name = std::move(name),
          .description = std::move(description),
          .source = "gpu/batch/ours",
          .workload = "batch",
          .side = Side::device,
          .operations = std::move(operations),
          .layouts = {contiguous, interleaved, pointers},
          .least_order = least,
          .largest_order = largest,
          .built_orders = built_batch_orders(least, largest),
          .inverse_has_pivots = false};
}

}  // namespace

const ArrayStageFacts& thread_array_facts() {
  static const ArrayStageFacts facts =
      facts_of("thread", "a matrix a thread, in registers", {ArrayOperation::lu}, 1,
               ours::largest_thread_order);
  return facts;
}
const ArrayStageFacts& rows_array_facts() {
  static const ArrayStageFacts facts =
      facts_of("rows", "blocked, rows on lanes that stay where they are", {ArrayOperation::lu}, 2,
               ours::largest_order);
  return facts;
}
const ArrayStageFacts& inverse_thread_array_facts() {
  static const ArrayStageFacts facts = [] {
    ArrayStageFacts made =
        facts_of("inverse-thread", "LU factors and both substitutions in place, a matrix a thread",
                 {ArrayOperation::inverse}, 1, ours::largest_thread_order);
    made.inverse_has_pivots = true;
    return made;
  }();
  return facts;
}
const ArrayStageFacts& inverse_rows_array_facts() {
  static const ArrayStageFacts facts =
      facts_of("inverse-rows", "blocked Gauss-Jordan elimination in place, rows on lanes",
               {ArrayOperation::inverse}, 2, ours::largest_order);
  return facts;
}
const ArrayStageFacts& solve_array_facts() {
  static const ArrayStageFacts facts =
      facts_of("solve", "factors stay in registers, right-hand sides go through them",
               {ArrayOperation::solve}, 1, ours::largest_order);
  return facts;
}
const ArrayStageFacts& fast_array_facts() {
  static const ArrayStageFacts facts = [] {
    ArrayStageFacts made =
        facts_of("fast", "the best of thread, rows and their like for each order, from a table",
                 {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}, 1,
                 ours::largest_order);
    made.chooses_by_measurements = true;
    return made;
  }();
  return facts;
}

}  // namespace lufact::gpu
