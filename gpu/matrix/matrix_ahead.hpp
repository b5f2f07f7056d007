// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/matrix_ahead.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// A as it was read, in scratch memory of the device. One at a time in a session.
class DeviceMatrixAhead final : public MatrixAhead {
 public:
  // Starts the copies. Throws as Buffer does.
  DeviceMatrixAhead(DeviceSession& session, const CsrMatrix& a);
  ~DeviceMatrixAhead() override;

  // From here on work on the session's stream may read the arrays. Again: does nothing.
  void finish() { session_.finish_uploads(); }
  const Offset* row_ptr() const noexcept { return row_ptr_.data(); }
  const Index* col_idx() const noexcept { return col_idx_.data(); }
  const double* values() const noexcept { return values_.data(); }

 private:
  DeviceSession& session_;
  Buffer<Offset> row_ptr_;
  Buffer<Index> col_idx_;
  Buffer<double> values_;
};

}  // namespace lufact::gpu
