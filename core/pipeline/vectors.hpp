// SPDX-License-Identifier: BSD-3-Clause
// Blocks of right-hand sides and the few operations that refinement, FGMRES and residuals need,
// behind one interface for host and device, so that neither is written twice.
#pragma once
#include <memory>
#include <span>

#include "core/base/types.hpp"
#include "core/pipeline/host_array.hpp"
#include "core/pipeline/product.hpp"

namespace lufact {

// n x columns doubles, stored by columns, on one side.
class VectorBlock {
 public:
  virtual ~VectorBlock() = default;
  virtual Side side() const noexcept = 0;
  virtual Index rows() const noexcept = 0;
  virtual Index columns() const noexcept = 0;
};

// Host labels of the rows of blocks, stored on the backend's side.
class RowLabels {
 public:
  virtual ~RowLabels() = default;
};

// All blocks of one call live on this backend's side and have fitting sizes; `matrix` is the
// permuted matrix B on this side, with its scalings. Sums are taken in an order that does not
// depend on the number of threads.
class VectorBackend {
 public:
  virtual ~VectorBackend() = default;
  virtual Side side() const noexcept = 0;
  // Contents are unspecified: nearly every block is written before it is read.
  virtual std::unique_ptr<VectorBlock> make(Index rows, Index columns) = 0;
  virtual void set_to_zero(VectorBlock& x) = 0;
  // labels[i] for row i of a block; the array must outlive the object.
  virtual std::unique_ptr<RowLabels> keep_labels(std::span<const Index> labels) = 0;
  // Host memory to a block, whose row i is row labels[i] of `from`, or row i where `labels` is
  // null. A device may read page-locked memory until it is idle, as it is at the end of a phase.
  virtual void write(HostSpan<const double> from, const RowLabels* labels, VectorBlock& to) = 0;
  void write(HostSpan<const double> from, VectorBlock& to) { write(from, nullptr, to); }
  // A block to host memory: its row i becomes row labels[i] of `to`, or row i where `labels` is
  // null. Page-locked memory is filled once the device is idle.
  virtual void read(const VectorBlock& from, const RowLabels* labels, HostSpan<double> to) = 0;
  void read(const VectorBlock& from, HostSpan<double> to) { read(from, nullptr, to); }
  virtual void copy(const VectorBlock& from, VectorBlock& to) = 0;
  virtual void copy_column(const VectorBlock& from, Index from_column, VectorBlock& to,
                           Index to_column) = 0;
  // x(i, :) *= row_scale[i], or col_scale[i].
  virtual void scale_by_rows(const Product& matrix, VectorBlock& x) = 0;
  virtual void scale_by_columns(const Product& matrix, VectorBlock& x) = 0;
  // y += alpha x; x *= alpha.
  virtual void add_scaled(double alpha, const VectorBlock& x, VectorBlock& y) = 0;
  virtual void scale(double alpha, VectorBlock& x) = 0;
  // Dot product of single-column blocks.
  virtual double dot(const VectorBlock& x, const VectorBlock& y) = 0;
  // y = B x (unscaled B).
  virtual void multiply(const Product& matrix, const VectorBlock& x, VectorBlock& y) = 0;
  // r = b - B x in double; r is neither of the others. Returns the backward error: the largest over
  // the columns of ||r|| / (matrix_norm ||x|| + ||b||), infinity norms; 0 / 0 is 0, anything that
  // is not finite is +infinity. One control read on a device.
  virtual double residual(const Product& matrix, double matrix_norm, const VectorBlock& x,
                          const VectorBlock& b, VectorBlock& r) = 0;
};

}  // namespace lufact
