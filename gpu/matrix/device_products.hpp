// SPDX-License-Identifier: BSD-3-Clause
// Device twins of the column family's host products, and plain views of them for kernels.
#pragma once
#include <memory>
#include <utility>
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

// An array shared by several products, constant once made.
template <class T>
class SharedBuffer {
 public:
  SharedBuffer() = default;
  SharedBuffer(Buffer<T> buffer) : buffer_(std::make_shared<const Buffer<T>>(std::move(buffer))) {}
  const T* data() const noexcept { return buffer_ ? buffer_->data() : nullptr; }
  Offset size() const noexcept { return buffer_ ? buffer_->size() : 0; }
  std::vector<T> download() const { return buffer_ ? buffer_->download() : std::vector<T>(); }

 private:
  std::shared_ptr<const Buffer<T>> buffer_;
};

// The values of a matrix, shared: new values replace them in every product that holds them.
class ReplaceableValues {
 public:
  ReplaceableValues() = default;
  ReplaceableValues(Buffer<double> buffer)
      : buffer_(std::make_shared<Buffer<double>>(std::move(buffer))) {}
  double* data() const noexcept { return buffer_ ? buffer_->data() : nullptr; }
  Offset size() const noexcept { return buffer_ ? buffer_->size() : 0; }
  std::vector<double> download() const {
    return buffer_ ? buffer_->download() : std::vector<double>();
  }

 private:
  std::shared_ptr<Buffer<double>> buffer_;
};

// A norm that the host knows, or that a running kernel will write to pinned memory.
class ScaledNorm {
 public:
  ScaledNorm(double value = 0) : value_(value) {}
  // To be made after the kernel's launch.
  explicit ScaledNorm(std::shared_ptr<const Buffer<double>> page)
      : waits_before_(page->session().waits()), page_(std::move(page)) {}

  // Takes one control read at the first call after a kernel, unless the stream has been waited for
  // since its launch.
  operator double() const {
    if (page_) take();
    return value_;
  }

 private:
  void take() const {
    DeviceSession& session = page_->session();
    if (session.waits() > waits_before_) {
      value_ = *page_->data();
    } else {
      session.take_control(&value_, page_->data(), sizeof(value_));
    }
    page_ = nullptr;
  }

  mutable double value_ = 0;
  std::uint64_t waits_before_ = 0;
  mutable std::shared_ptr<const Buffer<double>> page_;
};

struct PlacementSpace;  // workspace for placing new values

// The source of each entry of B, as PermutedMatrix::source, in one of the two arrays; both are
// empty while no new values are asked for.
struct EntrySources {
  SharedBuffer<Index> narrow;
  SharedBuffer<Offset> wide;
  std::shared_ptr<PlacementSpace> space;

  Offset size() const noexcept { return narrow.size() + wide.size(); }
};

// A matrix with new values shares all arrays with the matrix whose values it replaces.
class DevicePermutedMatrix final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::permuted_matrix; }
  Side side() const noexcept override { return Side::device; }
  PatternRef pattern() const noexcept { return {n, row_ptr.data(), col_idx.data()}; }

  Index n = 0;
  Offset nnz = 0;
  SharedBuffer<Offset> row_ptr;
  SharedBuffer<Index> col_idx;
  ReplaceableValues values;
  EntrySources source;
  SharedBuffer<double> row_scale, col_scale;
  ScaledNorm scaled_norm;
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
  // Supernode s is rows supernodes[s] .. supernodes[s + 1]; empty where they were not looked for.
  Buffer<Index> supernodes;
};

class DeviceColumnSchedule final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::column_schedule; }
  Side side() const noexcept override { return Side::device; }

  // Level offsets on the host, levels + 1, for consumers that launch by the width of each level.
  // The first call reads them back in control reads of 16 offsets each; later calls cost nothing.
  const std::vector<Index>& host_level_ptr(DeviceSession& session) const;

  DependencyRule rule = DependencyRule::relaxed;
  Index n = 0;
  Index levels = 0;
  Index max_width = 0;  // columns of the widest level
  Buffer<Index> level_of;
  Buffer<Index> columns;    // by level, ascending inside a level
  Buffer<Index> level_ptr;  // n + 1 places, of which levels + 1 are used

 private:
  mutable std::vector<Index> host_level_ptr_;
};

}  // namespace lufact::gpu
