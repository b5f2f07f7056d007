// SPDX-License-Identifier: BSD-3-Clause
// The lanes of factors that are kept on the host: the session's stream and its streams of copies.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <vector>

#include "core/fronts/plan/part_traffic.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

class FactorLanes {
 public:
  // A part's place in the array on the host, in bytes.
  struct PartBytes {
    std::size_t first = 0, count = 0;
  };

  // `host` is page-locked and has all parts; each region has room for its own.
  FactorLanes(DeviceSession& session, std::vector<PartBytes> parts, std::byte* host,
              std::array<std::byte*, 2> regions);
  // Waits for the copies, since regions are freed in the order of the session's stream alone.
  ~FactorLanes();
  FactorLanes(const FactorLanes&) = delete;
  FactorLanes& operator=(const FactorLanes&) = delete;

  // For PartTraffic.
  void wait(Lane lane, int event);
  void record(int event, Lane lane);
  void copy_to_host(Index part, int region);
  void copy_to_device(Index part, int region);

 private:
  cudaStream_t stream(Lane lane);

  DeviceSession& session_;
  std::vector<PartBytes> parts_;
  std::byte* host_;
  std::array<std::byte*, 2> regions_;
  std::array<cudaEvent_t, PartTraffic<FactorLanes>::events> events_{};
};

}  // namespace lufact::gpu
