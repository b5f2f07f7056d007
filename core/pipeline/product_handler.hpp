// SPDX-License-Identifier: BSD-3-Clause
// Verification and report of a product type, for the pipeline. One handler per type, so that
// another family of factors brings its own.
#pragma once
#include <optional>
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
  // The supernodes that the product has, of `most_rows` rows at most, for the record and checked;
  // empty where it has none. As validate() and describe().
  virtual std::optional<SupernodeNotes> count_supernodes(const Product&,
                                                         Index /*most_rows*/) const {
    return std::nullopt;
  }
  // Only for a product that has some.
  virtual ValidatorVerdict validate_supernodes(const Product&, Index /*most_rows*/) const {
    return {.passed = false, .method = "supernodes", .message = "the product has no supernodes"};
  }
  // Fills the keys of the record that this type owns.
  virtual void describe(const PermutedMatrix& matrix, const Product* upstream,
                        const Product& product, FactorsRecord& record) const = 0;
};

}  // namespace lufact
