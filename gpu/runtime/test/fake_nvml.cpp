// SPDX-License-Identifier: BSD-3-Clause
// A management library of a card with many processes: the calls that are used, as the driver has
// them.
#include <cstring>

#include "gpu/runtime/nvml_library.hpp"

using lufact::gpu::NvmlDevice;
using lufact::gpu::NvmlMemory;
using lufact::gpu::NvmlProcess;

namespace {

constexpr unsigned there = 70;  // processes, more than are asked for at first
int the_card = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* device) {
  if (std::strcmp(uuid, "GPU-fake") != 0) return 6;  // not found
  *device = &the_card;
  return 0;
}
int nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlMemory* memory) {
  if (device != &the_card) return 2;  // an argument that is none
  *memory = {1000, 600, 400};
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice device, unsigned* count,
                                            NvmlProcess* processes) {
  if (device != &the_card) return 2;
  const unsigned room = *count;
  *count = there;
  if (room < there) return lufact::gpu::nvml_insufficient_size;
  for (unsigned k = 0; k < there; ++k) processes[k] = {100 + k, 1000 + k, 0xffffffff, 0xffffffff};
  processes[1].used_bytes = lufact::gpu::nvml_not_available;
  processes[2].used_bytes = 0;
  return 0;
}

}  // extern "C"
