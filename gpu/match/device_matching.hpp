// SPDX-License-Identifier: BSD-3-Clause
// A maximum product matching with scaling on the device, in one cooperative kernel.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/notes.hpp"
#include "gpu/match/unit_scales.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// How a matching ended, small enough for the control page.
struct MatchReport {
  MatchEnd end;
  std::int32_t free_rows, free_after_start, free_after_bidding, spread, phases, rounds, thin_rounds;
  Units lowered;
  std::int32_t clamped;
};

class DeviceMatching {
 public:
  // Uploads `a`, which is square and has at most most_rows rows. Session and `a` must outlive the
  // object. Throws Error{oom_device} where the arrays, device_bytes() of them, do not fit.
  DeviceMatching(DeviceSession& session, const CsrMatrix& a);
  static std::uint64_t device_bytes(Index n, Offset nnz);

  // Once. Waits for the device.
  MatchReport find(const MatchRules& rules);
  // Once, of a matching that ended as `perfect`.
  Matching result(std::vector<Warning>& warnings);
  // For one that ended as `long_paths`: costs, duals and the matching as they were before the
  // search, for HostMatching::finish() with the counters that are returned.
  MatchCounters hand_over(const MatchArrays& to) const;

 private:
  // What result() copies into.
  struct HostArrays {
    std::vector<double> row_scale, column_scale;
    std::vector<Index> row_of_column, column_of_row;
  };

  DeviceSession& session_;
  const CsrMatrix& a_;
  Buffer<std::byte> block_;
  MatchArrays arrays_;
  ScaleArrays scales_;
  MatchReport report_{};
  HostArrays host_;
};

}  // namespace lufact::gpu
