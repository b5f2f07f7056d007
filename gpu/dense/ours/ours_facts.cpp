// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/ours_sizes.hpp"
#include "gpu/dense/ours/ours_stages.hpp"

namespace lufact::gpu {
namespace {

constexpr Index largest_order = 65536;

ArrayStageFacts ours(const char* name, const char* description,
                     std::vector<ArrayPivoting> pivoting) {
  return {.name = name,
          .description = description,
          .source = "gpu/dense/ours",
          .workload = "dense",
          .side = Side::device,
          .operations = {ArrayOperation::lu, ArrayOperation::solve},
          .layouts = {ArrayLayout::contiguous},
          .pivoting = std::move(pivoting),
          .largest_order = largest_order};
}

std::vector<FactorArithmetic> mixed() {
  return {FactorArithmetic::own, FactorArithmetic::float32, FactorArithmetic::tf32,
          FactorArithmetic::half, FactorArithmetic::bfloat};
}

}  // namespace

const ArrayStageFacts& hybrid_tuned_array_facts() {
  static const ArrayStageFacts facts = [] {
    ArrayStageFacts made =
        ours("hybrid-tuned", "panels in registers over all rows, products on tensor cores",
             {ArrayPivoting::partial, ArrayPivoting::none});
    made.arithmetics = mixed();
    made.dense.block =
        TakenNumbers{blocked::least_block, blocked::deepest_block, blocked::least_block};
    return made;
  }();
  return facts;
}
const ArrayStageFacts& task_graph_array_facts() {
  static const ArrayStageFacts facts =
      ours("task-graph", "the matrix as one front of gpu-multifrontal, in tiles of 64",
           {ArrayPivoting::none});
  return facts;
}
const ArrayStageFacts& fast_dense_array_facts() {
  static const ArrayStageFacts facts = [] {
    ArrayStageFacts made =
        ours("fast", "the better of hybrid-tuned and task-graph, by shape and pivoting",
             {ArrayPivoting::partial, ArrayPivoting::none});
    made.arithmetics = mixed();
    return made;
  }();
  return facts;
}

}  // namespace lufact::gpu
