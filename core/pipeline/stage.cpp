// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/stage.hpp"

#include <stdexcept>

namespace lufact {

Support Stage::supported(const Machine& machine) const {
  if (info().side == Side::device && !machine.device.has_value()) {
    return {false, machine.device_absent_reason};
  }
  return {};
}

void SymbolicStage::assist(StageContext&) const {
  throw std::logic_error(info().name + " works on one rank alone");
}

void Factors::apply(const Product& matrix, VectorBackend& vectors, const VectorBlock& b,
                    VectorBlock& x, std::string_view method) const {
  if (&x != &b) vectors.copy(b, x);
  vectors.scale_by_rows(matrix, x);
  solve(x, method);
  vectors.scale_by_columns(matrix, x);
}

ProductPtr Transfer::run_with_new_values(const Product&, HostSpan<const double>, const Product&,
                                         StageContext&) const {
  throw std::logic_error("a " + std::string(type().name) + " takes no values of A");
}

}  // namespace lufact
