// SPDX-License-Identifier: BSD-3-Clause
// The columns of a pattern that is given by rows.
#pragma once
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

struct DeviceColumns {
  Buffer<Offset> col_ptr;   // n + 1
  Buffer<Index> row_idx;    // ascending in each column
  Buffer<Offset> position;  // position by columns of each entry by rows
};

// Deterministic: a stable radix sort of the entries by column. The results are resident; the
// scratch (about 16 bytes per entry) is less than values and positions take afterwards, so that the
// sort does not raise the peak of the numeric stage.
DeviceColumns make_columns(DeviceSession& session, const DeviceColumnPattern& rows);

}  // namespace lufact::gpu
