// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/dense/schemes/row_matrix.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu::schemes {

// rows := the matrix that `columns` holds by columns, ld >= rows.rows entries apart, and the other
// way. One launch each on the session's stream; what is between columns is neither read nor
// written.
template <class Real>
void copy_to_rows(DeviceSession& session, Real* columns, Index ld, const RowMatrix<Real>& rows);
template <class Real>
void copy_to_columns(DeviceSession& session, const RowMatrix<Real>& rows, Real* columns, Index ld);

}  // namespace lufact::gpu::schemes
