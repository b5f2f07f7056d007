// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_symbolic.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"

namespace lufact::gpu {
namespace {

SymbolicFacts facts_of(const OocVariant& variant) {
  return {.info = {.name = variant.name,
                   .description = variant.description,
                   .source = "gpu/symbolic/search",
                   .side = Side::device,
                   .takes = {product_types::permuted_matrix},
                   .gives = product_types::column_pattern},
          .work_bytes = [variant](Index n) { return work_bytes(variant, n); }};
}

}  // namespace

const SymbolicFacts& ooc_symbolic_facts() {
  static const SymbolicFacts facts = facts_of(ooc_variant);
  return facts;
}
const SymbolicFacts& ooc_naive_symbolic_facts() {
  static const SymbolicFacts facts = facts_of(ooc_naive_variant);
  return facts;
}
const SymbolicFacts& um_symbolic_facts() {
  static const SymbolicFacts facts = facts_of(um_variant);
  return facts;
}
const SymbolicFacts& um_prefetch_symbolic_facts() {
  static const SymbolicFacts facts = facts_of(um_prefetch_variant);
  return facts;
}
const SymbolicFacts& fill2_plain_symbolic_facts() {
  static const SymbolicFacts facts = facts_of(fill2_plain_variant);
  return facts;
}
const SymbolicFacts& in_core_symbolic_facts() {
  static const SymbolicFacts facts = facts_of(in_core_variant);
  return facts;
}

}  // namespace lufact::gpu
