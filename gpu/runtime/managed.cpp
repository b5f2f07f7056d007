// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/managed.hpp"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

// CUDA 13 names a place by a struct, CUDA 12 by the number of the device.
#if CUDART_VERSION >= 13000
cudaMemLocation on_device(const DeviceSession& session) {
  return {cudaMemLocationTypeDevice, session.device()};
}
cudaMemLocation on_host() {
  return {cudaMemLocationTypeHost, 0};
}
cudaError_t prefetch(const void* data, std::size_t bytes, cudaMemLocation to, cudaStream_t stream) {
  return cudaMemPrefetchAsync(data, bytes, to, 0, stream);
}
#else
int on_device(const DeviceSession& session) {
  return session.device();
}
int on_host() {
  return cudaCpuDeviceId;
}
cudaError_t prefetch(const void* data, std::size_t bytes, int to, cudaStream_t stream) {
  return cudaMemPrefetchAsync(data, bytes, to, stream);
}
#endif

}  // namespace

void prefetch_to_device(DeviceSession& session, const void* data, std::size_t bytes) {
  if (bytes > 0) LUFACT_CUDA(prefetch(data, bytes, on_device(session), session.stream()));
}

void prefetch_to_host(DeviceSession& session, const void* data, std::size_t bytes) {
  if (bytes > 0) LUFACT_CUDA(prefetch(data, bytes, on_host(), session.stream()));
}

void prefer_device(DeviceSession& session, const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  LUFACT_CUDA(cudaMemAdvise(data, bytes, cudaMemAdviseSetPreferredLocation, on_device(session)));
}

void map_for_device(DeviceSession& session, const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  LUFACT_CUDA(cudaMemAdvise(data, bytes, cudaMemAdviseSetAccessedBy, on_device(session)));
}

void touch_on_host(void* data, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* first = static_cast<volatile unsigned char*>(data);
  for (std::size_t at = 0; at < bytes; at += page) first[at] = 0xff;
  if (bytes > 0) first[bytes - 1] = 0xff;
}

}  // namespace lufact::gpu
