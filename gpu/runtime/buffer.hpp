// SPDX-License-Identifier: BSD-3-Clause
// A typed, move-only array in memory that the device addresses. Contents are uninitialised.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/types.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(DeviceSession& session, MemoryRole role, Offset size, std::string_view what,
         MemoryKind kind = MemoryKind::device)
      : session_(&session), kind_(kind), role_(role), size_(size) {
    data_ = static_cast<T*>(session.allocate(kind, role, bytes(), what));
  }
  // An array in memory that `keeper` owns, charges and frees.
  Buffer(DeviceSession& session, std::shared_ptr<void> keeper, T* data, Offset size)
      : session_(&session), data_(data), size_(size), keeper_(std::move(keeper)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr && !keeper_) session_->deallocate(kind_, role_, data_, bytes());
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  Offset size() const noexcept { return size_; }
  std::size_t bytes() const { return checked_bytes(size_, sizeof(T)); }
  DeviceSession& session() const noexcept { return *session_; }

  void fill_bytes(int value) {
    if (size_ > 0) LUFACT_CUDA(cudaMemsetAsync(data_, value, bytes(), session_->stream()));
  }
  void upload(std::span<const T> from) {
    if (!from.empty()) session_->copy_to_device(data_, from.data(), from.size_bytes());
  }
  std::vector<T> download() const { return download(size_); }
  // The first `count` elements.
  std::vector<T> download(Offset count) const {
    std::vector<T> host(static_cast<std::size_t>(count));
    download(std::span<T>(host));
    return host;
  }
  // The first elements, as many as `host` has room for.
  void download(std::span<T> host) const {
    if (!host.empty()) session_->copy_to_host(host.data(), data_, host.size_bytes());
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(kind_, other.kind_);
    std::swap(role_, other.role_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(keeper_, other.keeper_);
  }
  DeviceSession* session_ = nullptr;
  MemoryKind kind_ = MemoryKind::device;
  MemoryRole role_ = MemoryRole::scratch;
  T* data_ = nullptr;
  Offset size_ = 0;
  std::shared_ptr<void> keeper_;
};

// A buffer with the contents of `from`.
template <class T>
Buffer<T> upload_copy(DeviceSession& session, MemoryRole role, std::span<const T> from,
                      std::string_view what) {
  Buffer<T> buffer(session, role, static_cast<Offset>(from.size()), what);
  buffer.upload(from);
  return buffer;
}

// One value, up to 64 bytes, read back.
template <class T>
T read_value(DeviceSession& session, const T* device) {
  static_assert(sizeof(T) <= 64);
  T value;
  session.read_control(&value, device, sizeof(T));
  return value;
}

// One value, up to 64 bytes, from a kernel to the host: the kernel writes it to control_place(),
// and take_value() waits for the stream and returns it.
template <class T>
T* control_place(DeviceSession& session) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 64);
  return static_cast<T*>(session.control_page());
}
template <class T>
T take_value(DeviceSession& session) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 64);
  T value;
  session.take_control(&value, sizeof(T));
  return value;
}

}  // namespace lufact::gpu
