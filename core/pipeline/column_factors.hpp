// SPDX-License-Identifier: BSD-3-Clause
// Base of the column family's factors, on host and device.
#pragma once
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

class ColumnFactors : public Factors {
 public:
  ProductType type() const noexcept override { return product_types::column_factors; }
  // L (unit diagonal not stored) and U, entry by entry of the column pattern's rows. Copies factors
  // that live on the device; not timed.
  virtual std::vector<double> values_by_row() const = 0;
  // SHA-256 of values_by_row() as little-endian doubles.
  std::string values_sha256() const override;
};

}  // namespace lufact
