// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/matrix/parallel.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/held_memory.hpp"
#include "gpu/runtime/probe.hpp"

namespace lufact {
namespace {

constexpr std::size_t control_bytes = 64;
// Bytes that the driver's granularity of 2 MiB may add to the bytes asked for, and that other
// allocations of the runtime (events, launch queues) take.
constexpr std::uint64_t largest_margin = 256ULL << 20;
// The part of the usable memory that the session keeps between repetitions: enough for the arrays
// of small problems, too little to matter to other processes.
constexpr std::uint64_t reserve_part = 64;
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

void require_control(std::size_t bytes) {
  if (bytes > control_bytes) throw std::logic_error("a control read is at most 64 bytes");
}

void require_page_locked(bool page_locked) {
  if (!page_locked) throw std::logic_error("a kernel reaches page-locked memory of the host alone");
}

int device_attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  LUFACT_CUDA(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

}  // namespace

DeviceSession::DeviceSession(const gpu::SessionOptions& options)
    : device_(options.device), ledger_(open_device(options), options.host_memory_limit) {
  try {
    uuid_ = gpu::device_uuid(device_);
    sm_count_ = device_attribute(cudaDevAttrMultiProcessorCount, device_);
    max_resident_warps_ =
        sm_count_ * (device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device_) /
                     device_attribute(cudaDevAttrWarpSize, device_));
    LUFACT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    open_memory();
    control_ = allocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, control_bytes,
                        "the page of control reads");
    stages_ = allocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident,
                       gpu::StagedCopies::pinned_bytes, "the stages of copies");
    staged_.emplace(stages_, stream_, thread_count(0));
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
  if (stream_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(stream_));
  for (CopyLane& copies : lanes_) {
    if (copies.stream == nullptr) continue;
    LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(copies.stream));
    close_staged(copies.staged, copies.stages);
    LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(copies.stream));
    copies.stream = nullptr;
  }
  background_.reset();
  deallocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, background_stages_,
             gpu::StagedCopies::pinned_bytes);
  background_stages_ = nullptr;
  close_staged(staged_, stages_);
  kept_.reset();
  deallocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, control_, control_bytes);
  control_ = nullptr;
  memory_.reset();
  if (stream_ != nullptr) LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream_));
  stream_ = nullptr;
}

void DeviceSession::close_staged(std::optional<gpu::StagedCopies>& staged, void*& stages) noexcept {
  staged.reset();
  deallocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, stages,
             gpu::StagedCopies::pinned_bytes);
  stages = nullptr;
}

// Takes the reserve at once. The first allocation of a pool takes 25 ms: it belongs to the making
// of the context.
void DeviceSession::open_memory() {
  memory_ = gpu::open_device_memory(device_, stream_);
  reserve_ = ledger_.budget() / reserve_part;
  void* first = nullptr;
  LUFACT_CUDA(memory_->allocate(&first, reserve_));
  memory_->deallocate(first, reserve_);
  synchronize();
}

void DeviceSession::return_memory() {
  synchronize();
  memory_->give_back(gpu::held_memory() == nullptr ? reserve_ : 0);
}

void DeviceSession::synchronize() {
  for (CopyLane& copies : lanes_) {
    if (copies.idle) continue;
    LUFACT_CUDA(cudaStreamSynchronize(copies.stream));
    copies.idle = true;
  }
  if (idle_) return;
  LUFACT_CUDA(cudaStreamSynchronize(stream_));
  idle_ = true;
  ++waits_;
}

cudaError_t DeviceSession::allocate_memory(gpu::MemoryKind kind, void** pointer,
                                           std::size_t bytes) {
  switch (kind) {
    case gpu::MemoryKind::pinned:
      return cudaMallocHost(pointer, bytes);
    case gpu::MemoryKind::managed:
      return cudaMallocManaged(pointer, bytes, cudaMemAttachGlobal);
    case gpu::MemoryKind::device:
      break;
  }
  return memory_->allocate(pointer, bytes);
}

void* DeviceSession::allocate(gpu::MemoryKind kind, gpu::MemoryRole role, std::size_t bytes,
                              std::string_view what) {
  if (bytes == 0) return nullptr;
  ledger_.charge(kind, role, bytes, what);
  void* pointer = nullptr;
  cudaError_t status = cudaSuccess;
  try {
    status = allocate_memory(kind, &pointer, bytes);
  } catch (...) {
    ledger_.release(kind, role, bytes);
    throw;
  }
  if (status == cudaSuccess) {
    gpu::HeldMemory* const held = gpu::held_memory();
    if (held != nullptr && kind == gpu::MemoryKind::device) held->add(pointer, bytes, what);
    return pointer;
  }
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
  switch (kind) {
    case gpu::MemoryKind::pinned:
      LUFACT_CUDA_NOEXCEPT(cudaFreeHost(pointer));
      break;
    case gpu::MemoryKind::managed:
      LUFACT_CUDA_NOEXCEPT(cudaFree(pointer));
      break;
    case gpu::MemoryKind::device:
      if (gpu::held_memory() != nullptr) gpu::held_memory()->remove(pointer);
      memory_->deallocate(pointer, bytes);
      break;
  }
  ledger_.release(kind, role, bytes);
}

std::shared_ptr<void> DeviceSession::kept_page_locked(std::size_t bytes, std::string_view what) {
  if (kept_ && kept_.use_count() == 1 && bytes <= kept_bytes_) return kept_;
  kept_.reset();  // first, where nobody else has it, so that it does not count beside the new one
  void* const memory = allocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, bytes, what);
  kept_ = std::shared_ptr<void>(memory, [this, bytes](void* pointer) {
    deallocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident, pointer, bytes);
  });
  kept_bytes_ = bytes;
  return kept_;
}

bool DeviceSession::let_in(int device) {
  if (device == device_) return true;
  int able = 0;
  LUFACT_CUDA(cudaDeviceCanAccessPeer(&able, device, device_));
  if (able == 0) return false;
  memory_->let_in(device);
  return true;
}

std::uint64_t DeviceSession::limit_managed(const ManagedOptions& options) {
  if (device_attribute(cudaDevAttrConcurrentManagedAccess, device_) == 0) {
    throw Error(Outcome::unsupported, "no_managed_memory",
                "this device or its driver cannot page managed memory on demand "
                "(concurrentManagedAccess is 0, as under WSL); use a mode without managed memory, "
                "such as ooc");
  }
  synchronize();
  memory_->give_back(0);  // so that all that is free counts as free
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  const std::uint64_t limit = options.bytes.value_or(free_bytes / 100 * managed_percent);
  ledger_.limit_managed({limit, free_bytes, options.allow_oversubscription});
  return limit;
}

void DeviceSession::copy_to_device(void* to, const void* from, std::size_t bytes) {
  copy_to_device(to, bytes, [from](std::byte* stage, std::size_t first, std::size_t some) {
    std::memcpy(stage, static_cast<const std::byte*>(from) + first, some);
  });
}

void DeviceSession::copy_to_device(void* to, std::size_t bytes,
                                   const gpu::StagedCopies::Fill& fill) {
  idle_ = false;
  staged_->upload(to, bytes, fill);
  bytes_h2d_ += bytes;
}

void DeviceSession::copy_to_host(void* to, const void* from, std::size_t bytes) {
  idle_ = false;
  staged_->download(from, bytes, [to](const std::byte* stage, std::size_t first, std::size_t some) {
    std::memcpy(static_cast<std::byte*>(to) + first, stage, some);
  });
  bytes_d2h_ += bytes;
}

void DeviceSession::copy_to_device(double* to, const HostSpan<const double>& from) {
  const std::span<const double> entries = from.entries;
  if (!from.page_locked) return copy_to_device(to, entries.data(), entries.size_bytes());
  LUFACT_CUDA(
      cudaMemcpyAsync(to, entries.data(), entries.size_bytes(), cudaMemcpyHostToDevice, stream()));
  bytes_h2d_ += entries.size_bytes();
}

void DeviceSession::copy_to_host(const HostSpan<double>& to, const double* from) {
  const std::span<double> entries = to.entries;
  if (!to.page_locked) return copy_to_host(entries.data(), from, entries.size_bytes());
  LUFACT_CUDA(cudaMemcpyAsync(entries.data(), from, entries.size_bytes(), cudaMemcpyDeviceToHost,
                              stream()));
  bytes_d2h_ += entries.size_bytes();
}

const double* DeviceSession::read_in_place(const HostSpan<const double>& from) {
  require_page_locked(from.page_locked);
  bytes_h2d_ += from.entries.size_bytes();
  return from.entries.data();
}

double* DeviceSession::write_in_place(const HostSpan<double>& to) {
  require_page_locked(to.page_locked);
  bytes_d2h_ += to.entries.size_bytes();
  return to.entries.data();
}

void DeviceSession::read_control(void* to, const void* from, std::size_t bytes) {
  require_control(bytes);
  LUFACT_CUDA(cudaMemcpyAsync(control_, from, bytes, cudaMemcpyDeviceToHost, stream()));
  take_control(to, bytes);
}

// The end of a kernel makes what it wrote to pinned memory visible to a host that waited for it.
void DeviceSession::take_control(void* to, std::size_t bytes) {
  take_control(to, control_, bytes);
}

void DeviceSession::take_control(void* to, const void* page, std::size_t bytes) {
  require_control(bytes);
  synchronize();
  std::memcpy(to, page, bytes);
  ++control_reads_;
}

cudaStream_t DeviceSession::copy_stream(CopyDirection direction) {
  CopyLane& copies = lane(direction);
  if (copies.stream == nullptr) {
    LUFACT_CUDA(cudaStreamCreateWithFlags(&copies.stream, cudaStreamNonBlocking));
  }
  copies.idle = false;
  return copies.stream;
}

void DeviceSession::copy_rows(CopyDirection direction, const CopiedRows& rows) {
  const cudaStream_t stream = copy_stream(direction);
  const bool uploads = direction == CopyDirection::to_device;
  const cudaMemcpyKind kind = uploads ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  constexpr std::size_t most_pitch = 0x7fffffff;  // of the driver's copies of rows
  if (rows.rows > 1 && std::max(rows.to_pitch, rows.from_pitch) <= most_pitch) {
    LUFACT_CUDA(cudaMemcpy2DAsync(rows.to, rows.to_pitch, rows.from, rows.from_pitch,
                                  rows.row_bytes, rows.rows, kind, stream));
  } else {
    for (std::size_t row = 0; row < rows.rows; ++row) {
      LUFACT_CUDA(cudaMemcpyAsync(static_cast<std::byte*>(rows.to) + row * rows.to_pitch,
                                  static_cast<const std::byte*>(rows.from) + row * rows.from_pitch,
                                  rows.row_bytes, kind, stream));
    }
  }
  (uploads ? bytes_h2d_ : bytes_d2h_) += rows.row_bytes * rows.rows;
}

gpu::StagedCopies& DeviceSession::staged_copies(CopyDirection direction) {
  const cudaStream_t stream = copy_stream(direction);
  CopyLane& copies = lane(direction);
  if (copies.stages == nullptr) {
    copies.stages = allocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident,
                             gpu::StagedCopies::pinned_bytes, "the stages of copies");
  }
  if (!copies.staged) copies.staged.emplace(copies.stages, stream, thread_count(0));
  return *copies.staged;
}

void DeviceSession::open_staged_copies() {
  staged_copies(CopyDirection::to_device);
  staged_copies(CopyDirection::to_host);
}

void DeviceSession::upload_parts(void* to, std::size_t bytes, const gpu::StagedCopies::Fill& fill) {
  staged_copies(CopyDirection::to_device).upload(to, bytes, fill);
  bytes_h2d_ += bytes;
}

void DeviceSession::download_parts(const void* from, std::size_t bytes,
                                   const gpu::StagedCopies::Drain& drain) {
  staged_copies(CopyDirection::to_host).download(from, bytes, drain);
  bytes_d2h_ += bytes;
}

void DeviceSession::start_uploads(std::vector<gpu::BackgroundUploads::Array> arrays) {
  if (background_stages_ == nullptr) {
    background_stages_ = allocate(gpu::MemoryKind::pinned, gpu::MemoryRole::resident,
                                  gpu::StagedCopies::pinned_bytes, "the stages of copies");
  }
  if (!background_) background_.emplace(device_, background_stages_);
  background_->start(std::move(arrays), stream());
}

void DeviceSession::finish_uploads() {
  if (background_) bytes_h2d_ += background_->finish(stream());
}

}  // namespace lufact
