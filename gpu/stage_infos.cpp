// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/stage_infos.hpp"

#include "core/pipeline/front_products.hpp"

namespace lufact::gpu {
namespace {

StageInfo symbolic_info(std::string name, std::string description) {
  return {std::move(name),
          std::move(description),
          Side::device,
          true,
          {product_types::permuted_matrix},
          product_types::column_pattern};
}

StageInfo levelize_info(std::string name, std::string description) {
  return {std::move(name),
          std::move(description),
          Side::device,
          true,
          {product_types::column_pattern},
          product_types::column_schedule};
}

StageInfo numeric_info(std::string name, std::string description, bool deterministic) {
  return {std::move(name),
          std::move(description),
          Side::device,
          deterministic,
          {product_types::permuted_matrix, product_types::column_pattern,
           product_types::column_schedule},
          product_types::column_factors,
          {"sync-free", "level"}};
}

}  // namespace

const StageInfo& dissection_ordering_info() {
  static const StageInfo info{.name = "nd-gpu",
                              .description =
                                  "the order of nd-parallel; A + A', partition and separator on "
                                  "the GPU, minimum degree on all "
                                  "threads",
                              .side = Side::device,
                              .deterministic = true,
                              .takes = {product_types::matching},
                              .gives = product_types::ordering,
                              .on_host = "nd-parallel"};
  return info;
}

const StageInfo& ooc_naive_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-ooc-naive", "E2E Algorithm 3: fill2 search per source row, two passes, one chunk size");
  return info;
}

const StageInfo& ooc_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-ooc",
      "E2E Algorithms 1, 3 and 4: fill2 search per source row, two passes, chunks sized by part");
  return info;
}

const StageInfo& um_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-um",
      "E2E section 4.3: the same search with its work arrays in managed memory, pages on demand");
  return info;
}

const StageInfo& um_prefetch_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-um-prefetch", "as gpu-um, each chunk's pages prefetched to the device before use");
  return info;
}

const StageInfo& in_core_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-in-core", "the same search with work arrays for all rows at once, for reference");
  return info;
}

const StageInfo& fill2_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-fill2", "the fill2 search tuned freely, in one or two passes under the same budget");
  return info;
}

const StageInfo& panel_symbolic_info() {
  static const StageInfo info = symbolic_info(
      "gpu-panels", "bits of 32 columns on the elimination forest of A + A', without a search");
  return info;
}

const StageInfo& front_symbolic_info() {
  static const StageInfo info{
      .name = "gpu-fronts",
      .description = "fronts as those of cpu-fronts, found on the GPU; the host merges sets",
      .side = Side::device,
      .deterministic = true,
      .takes = {product_types::permuted_matrix},
      .gives = product_types::front_tree};
  return info;
}

const StageInfo& host_loop_levelize_info() {
  static const StageInfo info = levelize_info(
      "gpu-host-loop", "Kahn's algorithm, one launch per level, the host reads the queue");
  return info;
}

const StageInfo& cdp_levelize_info() {
  static const StageInfo info = levelize_info(
      "gpu-cdp", "E2E Algorithm 5: Kahn with dynamic parallelism, a chain of tail launches");
  return info;
}

const StageInfo& cooperative_levelize_info() {
  static const StageInfo info = levelize_info(
      "gpu-cooperative", "Kahn's algorithm in one kernel, a grid-wide barrier per level");
  return info;
}

const StageInfo& sync_free_levelize_info() {
  static const StageInfo info = levelize_info(
      "gpu-sync-free", "one pass in one kernel, each column waits for its predecessors");
  return info;
}

const StageInfo& dense_numeric_info() {
  static const StageInfo info = numeric_info(
      "gpu-dense",
      "GLU 3.0: right-looking, a dense work column each, three kernel modes by level width", false);
  return info;
}

const StageInfo& dense_fixed_numeric_info() {
  static const StageInfo info = numeric_info(
      "gpu-dense-fixed",
      "GLU 1.0 and 2.0: as gpu-dense with one allocation of blocks for all levels", false);
  return info;
}

const StageInfo& binary_search_numeric_info() {
  static const StageInfo info = numeric_info(
      "gpu-binary-search",
      "E2E Algorithm 6: right-looking column levels over sorted CSC, binary search, atomics",
      false);
  return info;
}

const StageInfo& persistent_numeric_info() {
  static const StageInfo info = numeric_info(
      "gpu-persistent",
      "columns in one persistent kernel, each waits for what it needs; a fixed summation order",
      true);
  return info;
}

const StageInfo& auto_numeric_info() {
  static const StageInfo info = numeric_info(
      "gpu-auto", "gpu-dense, or gpu-binary-search where too few work columns fit (E2E 3.4)",
      false);
  return info;
}

const StageInfo& multifrontal_numeric_info() {
  static const StageInfo info{
      .name = "gpu-multifrontal",
      .description =
          "fronts in 64 x 64 tiles, one persistent kernel over the task graph; a fixed "
          "summation order",
      .side = Side::device,
      .deterministic = true,
      .takes = {product_types::permuted_matrix, product_types::front_tree,
                product_types::task_graph},
      .gives = product_types::front_factors,
      .solve_methods = {"task-graph"},
      .exchanges_rows = true};
  return info;
}

}  // namespace lufact::gpu
