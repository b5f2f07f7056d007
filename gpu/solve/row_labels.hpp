// SPDX-License-Identifier: BSD-3-Clause
// Relabels rows of blocks on the device, so that blocks are copied in the host's order.
#pragma once
#include <span>

#include "core/pipeline/vectors.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class DeviceRowLabels final : public RowLabels {
 public:
  // Resident memory of the session, which must outlive the object.
  DeviceRowLabels(DeviceSession& session, std::span<const Index> labels);

  // For blocks of `columns` columns, stored by columns: row i of `to` becomes row labels[i] of
  // `from`. `from` may be page-locked host memory: it is read from end to end. No kernel may have
  // written `from` since the stream was last waited for.
  void gather(const double* from, Index columns, double* to) const;
  // The inverse: row labels[i] of `to` becomes row i of `from`. `to` is written from end to end.
  void scatter(const double* from, Index columns, double* to) const;
  Index rows() const noexcept { return static_cast<Index>(place_.size()); }

 private:
  Buffer<Index> place_;  // row in device blocks of each host row
};

}  // namespace lufact::gpu
