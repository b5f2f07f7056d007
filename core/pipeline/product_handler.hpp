// SPDX-License-Identifier: BSD-3-Clause
// Verification and report of a product type, for the pipeline. One handler per type, so that
// another family of factors brings its own.
#pragma once
#include <string>

#include "core/pipeline/column_products.hpp"
#include "core/pipeline/product.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

struct ValidatorVerdict {
  bool passed = false;
  std::string method;   // goes to verification.method
  std::string message;  // what is wrong, naming the place; empty when passed
};

// Works on host products, outside the timed phases.
class ProductHandler {
 public:
  virtual ~ProductHandler() = default;
  virtual ProductType type() const noexcept = 0;
  // Independent check of the product of a stage against the matrix; `upstream` is the symbolic
  // product for a schedule, null for a symbolic product. Must not use the code that made it.
  virtual ValidatorVerdict validate(const PermutedMatrix& matrix, const Product* upstream,
                                    const Product& product) const = 0;
  // Fills the keys of the record that this type owns.
  virtual void describe(const PermutedMatrix& matrix, const Product* upstream,
                        const Product& product, FactorsRecord& record) const = 0;
};

}  // namespace lufact
