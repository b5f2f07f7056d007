// SPDX-License-Identifier: BSD-3-Clause
// One pattern of L + U from the rows that several devices have found.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "core/distribution/gsofa_schedule.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// The rows of one device, wherever they are. Each function copies to memory of the device that
// assembles, on its stream.
struct GsofaPart {
  GsofaShare share;
  Offset nnz = 0;
  std::function<void(Offset* to)> row_ptr;   // one more than rows, by place
  std::function<void(Offset* to)> diagonal;  // positions among the part's columns, by place
  std::function<void(Index* to, Offset first, Offset count)> columns;

  std::uint64_t bytes() const;  // of all three
};

// Counts are exchanged first, then rows, in pieces of at most 64 MiB. Beside the pattern it takes
// such a piece and 8 bytes for each row. Throws as the session's allocations do.
std::shared_ptr<DeviceColumnPattern> assemble_pattern(DeviceSession& session, Index n,
                                                      std::span<const GsofaPart> parts);

}  // namespace lufact::gpu
