// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/schemes/scheme_stages.hpp"

namespace lufact::gpu {
namespace {

constexpr Index largest_order = 65536;
constexpr TakenNumbers any_blocks{1, 65536};
constexpr TakenNumbers whole_warps{32, 1024, 32};

ArrayStageFacts scheme_facts(const char* name, const char* description) {
  return {.name = name,
          .description = description,
          .source = "gpu/dense/schemes",
          .workload = "dense",
          .side = Side::device,
          .operations = {ArrayOperation::lu},
          .layouts = {ArrayLayout::contiguous},
          .pivoting = {ArrayPivoting::none},
          .largest_order = largest_order,
          .dense = {.blocks = any_blocks, .threads_per_block = whole_warps}};
}

ArrayStageFacts recursion_facts(const char* name, const char* description) {
  ArrayStageFacts facts = scheme_facts(name, description);
  facts.dense.block = TakenNumbers{1, 1024};
  facts.dense.own_block = own_recursion_block;
  facts.dense.bases = {DenseBase::skr, DenseBase::mkr};
  facts.dense.products = {DenseProduct::own, DenseProduct::simple};
  facts.dense.triangulars = {DenseTriangular::columns, DenseTriangular::blocked};
  return facts;
}

}  // namespace

const ArrayStageFacts& mkr_array_facts() {
  static const ArrayStageFacts facts =
      scheme_facts("mkr", "DENSE 2: a kernel a step, for each of which the host waits");
  return facts;
}
const ArrayStageFacts& skr_array_facts() {
  static const ArrayStageFacts facts =
      scheme_facts("skr", "DENSE 2: all steps in one kernel, a grid barrier after each");
  return facts;
}
const ArrayStageFacts& recursive_array_facts() {
  static const ArrayStageFacts facts = recursion_facts(
      "recursive", "DENSE 3: a block by --base, a thread a row or column of U01 and L10, the rest");
  return facts;
}
const ArrayStageFacts& hybrid_array_facts() {
  static const ArrayStageFacts facts = [] {
    ArrayStageFacts made =
        recursion_facts("hybrid", "DENSE 4: recursive for --depth levels, then --base");
    made.dense.depth = true;
    return made;
  }();
  return facts;
}
const ArrayStageFacts& mkr_async_array_facts() {
  static const ArrayStageFacts facts =
      scheme_facts("mkr-async", "mkr without waits between its kernels");
  return facts;
}
const ArrayStageFacts& mkr_graph_array_facts() {
  static const ArrayStageFacts facts =
      scheme_facts("mkr-graph", "mkr with all of its kernels in one CUDA graph");
  return facts;
}

}  // namespace lufact::gpu
