// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/probe.hpp"

namespace lufact {
namespace {

constexpr std::size_t control_bytes = 64;
// What the driver's granularity of 2 MiB may take beside the bytes asked for, and what other
// allocations of the runtime (events, launch queues) take.
constexpr std::uint64_t largest_margin = 256ULL << 20;
// The share of the free memory that managed memory takes unless told otherwise, in percent: its
// arrays and the pattern that is made beside them must both find room.
constexpr std::uint64_t managed_percent = 80;

// Makes the context of the device and returns the bytes that the session may use of it.
std::uint64_t open_device(const gpu::SessionOptions& options) {
  const std::string fault = gpu::find_device_fault(options.device);
  if (!fault.empty()) throw Error(Outcome::unsupported, "no_device", fault);
  LUFACT_CUDA(cudaSetDevice(options.device));
  LUFACT_CUDA(cudaFree(nullptr));
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  const std::uint64_t usable =
      free_bytes - std::min<std::uint64_t>(largest_margin, free_bytes / 16);
  return std::min(options.memory_limit.value_or(usable), usable);
}

int device_attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  LUFACT_CUDA(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

cudaError_t allocate_memory(gpu::MemoryKind kind, void** pointer, std::size_t bytes) {
  switch (kind) {
    case gpu::MemoryKind::pinned:
      return cudaMallocHost(pointer, bytes);
    case gpu::MemoryKind::managed:
      return cudaMallocManaged(pointer, bytes, cudaMemAttachGlobal);
    case gpu::MemoryKind::device:
      break;
  }
  return cudaMalloc(pointer, bytes);
}

}  // namespace

DeviceSession::DeviceSession(const gpu::SessionOptions& options)
    : device_(options.device), ledger_(open_device(options)) {
  try {
    sm_count_ = device_attribute(cudaDevAttrMultiProcessorCount, device_);
    max_resident_warps_ =
        sm_count_ * (device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device_) /
                     device_attribute(cudaDevAttrWarpSize, device_));
    LUFACT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    control_ = allocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, control_bytes,
                        "the page of control reads");
    probe_ = std::make_unique<gpu::SessionProbe>(*this);
  } catch (...) {
    close();
    throw;
  }
}

DeviceSession::~DeviceSession() {
  close();
}

void DeviceSession::close() noexcept {
  probe_.reset();
  deallocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, control_, control_bytes);
  control_ = nullptr;
  if (stream_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream_));
  stream_ = nullptr;
}

void DeviceSession::synchronize() {
  LUFACT_CUDA(cudaStreamSynchronize(stream_));
}

void* DeviceSession::allocate(gpu::MemoryKind kind, gpu::MemoryRole role, std::size_t bytes,
                              std::string_view what) {
  if (bytes == 0) return nullptr;
  ledger_.charge(kind, role, bytes, what);
  void* pointer = nullptr;
  const cudaError_t status = allocate_memory(kind, &pointer, bytes);
  if (status == cudaSuccess) return pointer;
  cudaGetLastError();
  ledger_.release(kind, role, bytes);
  if (status != cudaErrorMemoryAllocation) {
    gpu::throw_cuda_error(status, "cudaMalloc", __FILE__, __LINE__);
  }
  std::size_t free_bytes = 0, total = 0;
  if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) cudaGetLastError();
  const bool on_device = kind == gpu::MemoryKind::device;
  const char* name = on_device                          ? "device"
                     : kind == gpu::MemoryKind::managed ? "managed"
                                                        : "pinned host";
  throw Error(
      on_device ? Outcome::oom_device : Outcome::oom_host, "cuda_out_of_memory",
      fmt::format("{}: CUDA could not give {} of {} memory; {} held by this run, {} free on "
                  "the card; does another process use it?",
                  what, format_byte_size(bytes), name, format_byte_size(ledger_.in_use()),
                  format_byte_size(free_bytes)));
}

void DeviceSession::deallocate(gpu::MemoryKind kind, gpu::MemoryRole role, void* pointer,
                               std::size_t bytes) noexcept {
  if (pointer == nullptr) return;
  if (kind == gpu::MemoryKind::pinned) {
    LUFACT_CUDA_NOEXCEPT(cudaFreeHost(pointer));
  } else {
    LUFACT_CUDA_NOEXCEPT(cudaFree(pointer));
  }
  ledger_.release(kind, role, bytes);
}

std::uint64_t DeviceSession::limit_managed(const ManagedOptions& options) {
  if (device_attribute(cudaDevAttrConcurrentManagedAccess, device_) == 0) {
    throw Error(Outcome::unsupported, "no_managed_memory",
                "this device or its driver cannot page managed memory on demand "
                "(concurrentManagedAccess is 0, as under WSL); use a mode without managed memory, "
                "such as ooc");
  }
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  const std::uint64_t limit = options.bytes.value_or(free_bytes / 100 * managed_percent);
  ledger_.limit_managed({limit, free_bytes, options.allow_oversubscription});
  return limit;
}

void DeviceSession::copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  LUFACT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
  synchronize();
  counters_.bytes_h2d += bytes;
}

void DeviceSession::copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  LUFACT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
  synchronize();
  counters_.bytes_d2h += bytes;
}

void DeviceSession::read_control(void* to, const void* from, std::size_t bytes) {
  if (bytes > control_bytes) throw std::logic_error("a control read is at most 64 bytes");
  LUFACT_CUDA(cudaMemcpyAsync(control_, from, bytes, cudaMemcpyDeviceToHost, stream_));
  synchronize();
  std::memcpy(to, control_, bytes);
  ++counters_.control_reads;
}

}  // namespace lufact
