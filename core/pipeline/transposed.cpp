// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/transposed.hpp"

#include "core/pipeline/catalogue.hpp"
#include "core/pipeline/queued_work.hpp"

namespace lufact {
namespace {

const NumericStage* find_without_transposed(const Tail& tail) {
  if (tail.tails.empty()) {
    return tail.numeric->info().solves_transposed ? nullptr : tail.numeric;
  }
  for (const Tail& next : tail.tails) {
    if (const NumericStage* found = find_without_transposed(next)) return found;
  }
  return nullptr;
}

}  // namespace

const NumericStage* find_without_transposed(const Chain& chain) {
  return find_without_transposed(chain.tail);
}

void apply_transposed(const Factors& factors, const Product& matrix, VectorBackend& vectors,
                      const VectorBlock& b, VectorBlock& x, std::string_view method) {
  if (&x != &b) vectors.copy(b, x);
  vectors.scale_by_columns(matrix, x);
  dynamic_cast<const TransposedFactors&>(factors).solve_transposed(x, method);
  vectors.scale_by_rows(matrix, x);
}

}  // namespace lufact
