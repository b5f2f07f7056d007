// SPDX-License-Identifier: BSD-3-Clause
// Device twins of the column family's host products, and plain views of them for kernels.
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// Passed to kernels by value.
struct PatternRef {
  Index n = 0;
  const Offset* row_ptr = nullptr;
  const Index* col_idx = nullptr;
};

class DevicePermutedMatrix final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::permuted_matrix; }
  Side side() const noexcept override { return Side::device; }
  PatternRef pattern() const noexcept { return {n, row_ptr.data(), col_idx.data()}; }

  Index n = 0;
  Offset nnz = 0;
  Buffer<Offset> row_ptr;
  Buffer<Index> col_idx;
  Buffer<double> values;
  Buffer<double> row_scale, col_scale;
  double scaled_norm = 0;
};

class DeviceColumnPattern final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::column_pattern; }
  Side side() const noexcept override { return Side::device; }
  PatternRef pattern() const noexcept { return {n, row_ptr.data(), col_idx.data()}; }

  Index n = 0;
  Offset nnz = 0;
  Buffer<Offset> row_ptr;
  Buffer<Index> col_idx;
  Buffer<Offset> diagonal;
};

class DeviceColumnSchedule final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::column_schedule; }
  Side side() const noexcept override { return Side::device; }

  DependencyRule rule = DependencyRule::relaxed;
  Index n = 0;
  Buffer<Index> level_of;
  Buffer<Index> columns;         // by level, ascending inside a level
  std::vector<Index> level_ptr;  // on the host: the engine learns the sizes level by level
};

}  // namespace lufact::gpu
