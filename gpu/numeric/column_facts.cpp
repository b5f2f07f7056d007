// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/column_facts.hpp"

#include "gpu/numeric/resident_bytes.hpp"

namespace lufact::gpu {
namespace {

// `engine_bytes` is what the engine keeps beside the factors (resident_bytes.hpp).
NumericFacts facts_of(const char* name, const char* description, bool deterministic,
                      std::uint64_t (*engine_bytes)(Index, Offset, Precision)) {
  return {.info = {.name = name,
                   .description = description,
                   .source = "gpu/numeric",
                   .side = Side::device,
                   .deterministic = deterministic,
                   .takes = {product_types::permuted_matrix, product_types::column_pattern,
                             product_types::column_schedule},
                   .gives = product_types::column_factors,
                   .solve_methods = {"sync-free", "level"}},
          .resident_bytes = [engine_bytes](Index n, Offset, Offset nnz_lu, Index rhs,
                                           Precision precision) {
            return column_resident_bytes(n, nnz_lu, rhs, precision) +
                   engine_bytes(n, nnz_lu, precision);
          }};
}

}  // namespace

const NumericFacts& dense_numeric_facts() {
  static const NumericFacts facts = facts_of(
      "gpu-dense",
      "GLU 3.0: right-looking, a dense work column each, three kernel modes by level width", false,
      dense_engine_bytes);
  return facts;
}

const NumericFacts& dense_fixed_numeric_facts() {
  static const NumericFacts facts =
      facts_of("gpu-dense-fixed",
               "GLU 1.0 and 2.0: as gpu-dense with one allocation of blocks for all levels", false,
               dense_engine_bytes);
  return facts;
}

const NumericFacts& binary_search_numeric_facts() {
  static const NumericFacts facts = facts_of(
      "gpu-binary-search",
      "E2E Algorithm 6: right-looking column levels over sorted CSC, binary search, atomics", false,
      binary_search_engine_bytes);
  return facts;
}

const NumericFacts& auto_numeric_facts() {
  static const NumericFacts facts = facts_of(
      "gpu-auto", "gpu-dense, or gpu-binary-search where too few work columns fit (E2E 3.4)", false,
      auto_engine_bytes);
  return facts;
}

const NumericFacts& persistent_numeric_facts() {
  static const NumericFacts facts = facts_of(
      "gpu-persistent",
      "columns in one persistent kernel, each waits for what it needs; a fixed summation order",
      true, persistent_engine_bytes);
  return facts;
}

}  // namespace lufact::gpu
