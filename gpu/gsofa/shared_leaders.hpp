// SPDX-License-Identifier: BSD-3-Clause
// Kernels over fill and counts that several devices share.
#pragma once
#include "gpu/gsofa/gsofa_kernels.hpp"
#include "gpu/gsofa/gsofa_visit.hpp"

namespace lufact::gpu {

// What one device has of it: fill behind which `fill_end` is, and the entries of U of each slot's
// row, diagonal counted.
struct SharedPart {
  MarkWord* fill_end = nullptr;
  Index* upper = nullptr;
};

// A batch of whole chunks on all devices.
struct SharedBatch {
  const SharedPart* parts = nullptr;  // of each device, in memory of the one that reads
  Index devices = 1;
  Offset first = 0;  // position of its first row
  Offset fill_stride = 0;
};

// Counts the entries of U of the rows of `task`, whose columns and diagonals are there.
void launch_shared_counts(DeviceSession& session, const GsofaTask& task, const Offset* diagonal,
                          Index* upper);

// starts[row] for the rows of every devices-th chunk of the batch, from chunk `device` of it on,
// which has `chunks` of them in all.
void launch_shared_leaders(DeviceSession& session, const SharedBatch& batch,
                           const GsofaRows& node_rows, Offset chunks, Index device, Offset* starts);

}  // namespace lufact::gpu
