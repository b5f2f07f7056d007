// SPDX-License-Identifier: BSD-3-Clause
// Rows of blocks change their labels on the device, so that blocks go over as they are on the host.
#pragma once
#include <span>

#include "core/pipeline/vectors.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

class DeviceRowLabels final : public RowLabels {
 public:
  // Resident memory of the session, which must outlive the object.
  DeviceRowLabels(DeviceSession& session, std::span<const Index> labels);

  // Of blocks of so many columns, stored by columns: row i of `to` becomes row labels[i] of `from`,
  // which may be page-locked memory of the host: it is read from end to end. No kernel may have
  // written it since the stream was last waited for.
  void gather(const double* from, Index columns, double* to) const;
  // The way back: row labels[i] of `to`, which is written from end to end, becomes row i of `from`.
  void scatter(const double* from, Index columns, double* to) const;
  Index rows() const noexcept { return static_cast<Index>(place_.size()); }

 private:
  Buffer<Index> place_;  // of each row of the host in blocks of the device
};

}  // namespace lufact::gpu
