// SPDX-License-Identifier: BSD-3-Clause
// What a device can do without the host waiting for it, so that a whole refactorization is on its
// stream before anybody waits; and with values, right-hand sides and solutions that are there
// already. Classes of the device implement these beside the interfaces of stage.hpp and
// vectors.hpp.
#pragma once
#include "core/pipeline/stage.hpp"

namespace lufact {

// Beside Factors.
class QueuedFactors {
 public:
  virtual ~QueuedFactors() = default;
  // As Factors::refactor(), put on the device's stream. finish_refactor() must follow once the
  // device is idle: figures and warnings come with it.
  virtual void queue_refactor(const ProductPtr& matrix, StageContext& context) = 0;
  // The same and then Factors::apply(), which may begin while the factorization goes on.
  virtual void queue_refactor_and_apply(const ProductPtr& matrix, VectorBackend& vectors,
                                        const VectorBlock& b, VectorBlock& x,
                                        std::string_view method, StageContext& context) = 0;
  virtual void finish_refactor(StageContext& context) = 0;
};

// Beside VectorBackend.
class QueuedVectors {
 public:
  virtual ~QueuedVectors() = default;
  // As VectorBackend::residual(), put on the device's stream. queued_residual() returns the
  // backward error once the device is idle; it takes one control read.
  virtual void queue_residual(const Product& matrix, double matrix_norm, const VectorBlock& x,
                              const VectorBlock& b, VectorBlock& r) = 0;
  // As TransposedVectors::residual_transposed(), likewise.
  virtual void queue_residual_transposed(const Product& matrix, double matrix_norm,
                                         const VectorBlock& x, const VectorBlock& b,
                                         VectorBlock& r) = 0;
  virtual double queued_residual() = 0;
  // As VectorBackend::write() and read(), between blocks of this side: row i of `to` is row
  // labels[i] of `from`; row labels[i] of `to` is row i of `from`. Nothing may have changed what
  // write_from() reads since the device was last waited for.
  virtual void write_from(const VectorBlock& from, const RowLabels& labels, VectorBlock& to) = 0;
  virtual void read_to(const VectorBlock& from, const RowLabels& labels, VectorBlock& to) = 0;
};

// Beside Transfer.
class TransferOnDevice {
 public:
  virtual ~TransferOnDevice() = default;
  // As Transfer::run_with_new_values(), with a block of one column on the device.
  virtual ProductPtr run_with_values_there(const Product& product, const VectorBlock& values_of_a,
                                           const Product& placed, StageContext& context) const = 0;
};

// Null where it is not one.
template <class T, class From>
T* find_part(From* whole) {
  return dynamic_cast<T*>(whole);
}

}  // namespace lufact
