// SPDX-License-Identifier: BSD-3-Clause
// Vector blocks in host memory.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "core/pipeline/vectors.hpp"

namespace lufact {

class HostVectorBlock final : public VectorBlock {
 public:
  HostVectorBlock(Index rows, Index columns);
  Side side() const noexcept override { return Side::host; }
  Index rows() const noexcept override { return rows_; }
  Index columns() const noexcept override { return columns_; }
  std::span<double> data() noexcept { return values_; }
  std::span<const double> data() const noexcept { return values_; }
  std::span<double> column(Index c) noexcept;
  std::span<const double> column(Index c) const noexcept;

 private:
  Index rows_, columns_;
  std::vector<double> values_;
};

// Sums are taken in blocks of a fixed size and the blocks in order, whatever the number of threads.
std::unique_ptr<VectorBackend> make_host_vector_backend(int threads);

}  // namespace lufact
