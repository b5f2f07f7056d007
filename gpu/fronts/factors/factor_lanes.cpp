// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/factors/factor_lanes.hpp"

#include <utility>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {

FactorLanes::FactorLanes(DeviceSession& session, std::vector<PartBytes> parts, std::byte* host,
                         std::array<std::byte*, 2> regions)
    : session_(session), parts_(std::move(parts)), host_(host), regions_(regions) {
  for (cudaEvent_t& event : events_) {
    LUFACT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
}

FactorLanes::~FactorLanes() {
  for (const cudaEvent_t event : events_) {
    if (event == nullptr) continue;
    LUFACT_CUDA_NOEXCEPT(cudaEventSynchronize(event));
    LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event));
  }
}

cudaStream_t FactorLanes::stream(Lane lane) {
  switch (lane) {
    case Lane::to_host:
      return session_.copy_stream(CopyDirection::to_host);
    case Lane::to_device:
      return session_.copy_stream(CopyDirection::to_device);
    case Lane::work:
      break;
  }
  return session_.stream();
}

void FactorLanes::wait(Lane lane, int event) {
  LUFACT_CUDA(cudaStreamWaitEvent(stream(lane), events_[static_cast<std::size_t>(event)], 0));
}

void FactorLanes::record(int event, Lane lane) {
  LUFACT_CUDA(cudaEventRecord(events_[static_cast<std::size_t>(event)], stream(lane)));
}

void FactorLanes::copy_to_host(Index part, int region) {
  const PartBytes& bytes = parts_[static_cast<std::size_t>(part)];
  if (bytes.count == 0) return;
  session_.copy_rows(CopyDirection::to_host, {.to = host_ + bytes.first,
                                              .to_pitch = bytes.count,
                                              .from = regions_[static_cast<std::size_t>(region)],
                                              .from_pitch = bytes.count,
                                              .row_bytes = bytes.count});
}

void FactorLanes::copy_to_device(Index part, int region) {
  const PartBytes& bytes = parts_[static_cast<std::size_t>(part)];
  if (bytes.count == 0) return;
  session_.copy_rows(CopyDirection::to_device, {.to = regions_[static_cast<std::size_t>(region)],
                                                .to_pitch = bytes.count,
                                                .from = host_ + bytes.first,
                                                .from_pitch = bytes.count,
                                                .row_bytes = bytes.count});
}

}  // namespace lufact::gpu
