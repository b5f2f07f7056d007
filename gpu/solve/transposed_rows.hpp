// SPDX-License-Identifier: BSD-3-Clause
// B' by rows, for products with it.
#pragma once
#include "gpu/solve/row_products.hpp"

namespace lufact::gpu {

class TransposedRows {
 public:
  explicit TransposedRows(DeviceSession& session) : session_(session) {}

  // B' with the values that `matrix` has now; valid until the next call. Its pattern is made where
  // that of the last call was another. Throws Error{unsupported, "index_overflow"} from 2^31
  // entries on.
  MatrixRows of(const DevicePermutedMatrix& matrix);

 private:
  void make_pattern(const DevicePermutedMatrix& matrix);

  DeviceSession& session_;
  SharedBuffer<Offset> made_of_;  // the row pointers of B
  Buffer<Offset> row_ptr_;
  Buffer<Index> col_idx_, source_;  // of each entry: its column in B', its place in B
  Buffer<double> values_;
};

}  // namespace lufact::gpu
