// SPDX-License-Identifier: BSD-3-Clause
// A matrix that goes to a device while the host still scales and orders it.
#pragma once
#include <memory>

namespace lufact {

struct CsrMatrix;
struct StageContext;

// Ends when the host's arrays are no longer read.
class MatrixAhead {
 public:
  virtual ~MatrixAhead() = default;
};

// Beside Transfer, for permuted matrices that go to a device.
class TransferAhead {
 public:
  virtual ~TransferAhead() = default;
  // Starts to bring A, which must outlive the result. Transfer::run() finds what is brought as
  // context.ahead and takes it where it places the entries itself (PermutedMatrix::unplaced).
  virtual std::unique_ptr<MatrixAhead> start(const CsrMatrix& a, StageContext& context) const = 0;
};

}  // namespace lufact
