// SPDX-License-Identifier: BSD-3-Clause
// Vector blocks in device memory.
#pragma once
#include "core/pipeline/vectors.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class DeviceVectorBlock final : public VectorBlock {
 public:
  // Uninitialised, as resident memory of the session, which must outlive the block.
  DeviceVectorBlock(DeviceSession& session, Index rows, Index columns);
  Side side() const noexcept override { return Side::device; }
  Index rows() const noexcept override { return rows_; }
  Index columns() const noexcept override { return columns_; }

  Offset size() const noexcept { return values_.size(); }
  double* data() noexcept { return values_.data(); }
  const double* data() const noexcept { return values_.data(); }
  double* column(Index c) noexcept { return data() + Offset{c} * rows_; }
  const double* column(Index c) const noexcept { return data() + Offset{c} * rows_; }

 private:
  Index rows_, columns_;
  Buffer<double> values_;
};

// The block as one of this side; throws std::logic_error for a host block.
DeviceVectorBlock& device_block(VectorBlock& block);
const DeviceVectorBlock& device_block(const VectorBlock& block);

}  // namespace lufact::gpu
