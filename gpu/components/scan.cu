// SPDX-License-Identifier: BSD-3-Clause
#include <cub/device/device_scan.cuh>

#include "gpu/components/scan.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

void exclusive_scan_in_place(DeviceSession& session, Offset* data, Offset count) {
  std::size_t bytes = 0;
  LUFACT_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, data, data, count, session.stream()));
  Buffer<unsigned char> temporary(session, MemoryRole::scratch, static_cast<Offset>(bytes),
                                  "the prefix sum");
  LUFACT_CUDA(
      cub::DeviceScan::ExclusiveSum(temporary.data(), bytes, data, data, count, session.stream()));
}

}  // namespace lufact::gpu
