// SPDX-License-Identifier: BSD-3-Clause
// One device, one stream, one ledger: what every device stage works with. Batches that go through
// the device in chunks also use a stream for copies in each direction.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/machine.hpp"
#include "core/measure/device_probe.hpp"
#include "core/pipeline/host_array.hpp"
#include "core/pipeline/managed_options.hpp"
#include "gpu/runtime/background_uploads.hpp"
#include "gpu/runtime/device_memory.hpp"
#include "gpu/runtime/memory.hpp"
#include "gpu/runtime/session_facts.hpp"
#include "gpu/runtime/staged_copies.hpp"

namespace lufact {

enum class CopyDirection { to_device, to_host };

// Rows of equal length, so many bytes apart on either side.
struct CopiedRows {
  void* to = nullptr;
  std::size_t to_pitch = 0;
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t row_bytes = 0, rows = 1;
};

class DeviceSession {
 public:
  explicit DeviceSession(const gpu::SessionOptions& options);
  ~DeviceSession();
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  int device() const noexcept { return device_; }
  // Of the card, as nvidia-smi prints it.
  const std::string& uuid() const noexcept { return uuid_; }
  // For work that the caller puts on the stream at once.
  cudaStream_t stream() noexcept {
    idle_ = false;
    return stream_;
  }
  gpu::MemoryLedger& ledger() noexcept { return ledger_; }
  const gpu::MemoryLedger& ledger() const noexcept { return ledger_; }
  DeviceProbe& probe() noexcept { return *probe_; }
  int sm_count() const noexcept { return sm_count_; }
  int max_resident_warps() const noexcept { return max_resident_warps_; }  // of the whole card
  // Waits for the stream, and for those of copies. Does nothing with one on which nothing was put
  // since the last wait, since even then a wait takes 1.4 us.
  void synchronize();
  // Number of waits so far. All work put on the stream before the last wait is done.
  std::uint64_t waits() const noexcept { return waits_; }

  // The only allocations of the module: charge the ledger, then allocate. Device memory is ordered
  // by the stream and comes from the session's DeviceMemory, which keeps what is freed: memory from
  // the card takes a fraction of a millisecond and more for each GB, memory that was kept some
  // microseconds. Zero bytes give null. Throws as the ledger does, and Error{oom_device or
  // oom_host, "cuda_out_of_memory"}.
  void* allocate(gpu::MemoryKind kind, gpu::MemoryRole role, std::size_t bytes,
                 std::string_view what);
  void deallocate(gpu::MemoryKind kind, gpu::MemoryRole role, void* pointer,
                  std::size_t bytes) noexcept;
  // Page-locked memory of the host, which the session keeps when its last owner lets it go, for the
  // next who asks for as much, so that pages are locked once. Owners must not outlive the session.
  // `bytes` >= 1.
  std::shared_ptr<void> kept_page_locked(std::size_t bytes, std::string_view what);
  // Waits, then gives free device memory beyond a small reserve back to the card, which takes up to
  // 1 ms per GB with the pool of CUDA: to be called between repetitions, never in one.
  void return_memory();
  // Lets another device read and write what this session allocates in device memory, from now on.
  // False where it cannot; true where it is the session's own.
  bool let_in(int device);
  // Sets the limit of managed allocations from here on, and returns it: options.bytes, or 80% of
  // the card's free memory. Throws Error{unsupported, "no_managed_memory"} where the device cannot
  // page on demand.
  std::uint64_t limit_managed(const ManagedOptions& options);

  // The only copies between host and device; they count bytes. On return the host's memory may be
  // changed or read; device memory has its new contents for all later work on the stream.
  void copy_to_device(void* to, const void* from, std::size_t bytes);
  void copy_to_host(void* to, const void* from, std::size_t bytes);
  // The same for an array that `fill` makes part by part, on several threads, during the copy.
  void copy_to_device(void* to, std::size_t bytes, const gpu::StagedCopies::Fill& fill);
  // The same for arrays that may be page-locked. Page-locked arrays are copied directly, with no
  // work for host threads, and asynchronously: until the stream is done, the source on the host
  // must not change, and a destination on the host is not filled.
  void copy_to_device(double* to, const HostSpan<const double>& from);
  void copy_to_host(const HostSpan<double>& to, const double* from);
  // For a kernel that reads or writes a page-locked array of the host in place, under its host
  // address (unified addressing). Counted as a copy, with the same rules until the stream is
  // done.
  const double* read_in_place(const HostSpan<const double>& from);
  double* write_in_place(const HostSpan<double>& to);
  // A device-to-host read of at most 64 bytes, through pinned memory, counted as a control read.
  void read_control(void* to, const void* from, std::size_t bytes);
  // The same without a copy on the stream: a kernel writes the value to the control page, 64 bytes
  // of pinned memory with one address on both sides (unified addressing). take_control() waits for
  // the stream and reads the page. One value at a time, read_control's included.
  void* control_page() const noexcept { return control_; }
  void take_control(void* to, std::size_t bytes);
  // The same from the caller's pinned memory, for a value that other control reads may precede.
  void take_control(void* to, const void* page, std::size_t bytes);

  // A stream for copies in one direction, made when first asked for; for work that the caller puts
  // on it at once. What is ordered between it and the others is the caller's business.
  cudaStream_t copy_stream(CopyDirection direction);
  // Puts copies between the device and page-locked memory of the host on the stream of their
  // direction, without waiting; counted.
  void copy_rows(CopyDirection direction, const CopiedRows& rows);
  // The same for memory of the host that is not page-locked, or whose parts are anywhere, through
  // pinned pages: on return `fill` has been called for all parts, and the copies are on the stream;
  // `drain` has been called for all parts. One thread may do the one while another does the other.
  // open_staged_copies() makes the pages for both; without, the first of these calls does.
  void open_staged_copies();
  void upload_parts(void* to, std::size_t bytes, const gpu::StagedCopies::Fill& fill);
  void download_parts(const void* from, std::size_t bytes, const gpu::StagedCopies::Drain& drain);
  // As BackgroundUploads, behind and before what else is on the stream; counted when finished.
  void start_uploads(std::vector<gpu::BackgroundUploads::Array> arrays);
  void finish_uploads();

  TransferCounters counters() const noexcept {
    return {bytes_h2d_.load(), bytes_d2h_.load(), control_reads_};
  }

 private:
  // What copies in one direction beside the first stream need.
  struct CopyLane {
    cudaStream_t stream = nullptr;
    bool idle = true;
    void* stages = nullptr;  // pinned, of `staged`
    std::optional<gpu::StagedCopies> staged;
  };
  CopyLane& lane(CopyDirection direction) { return lanes_[static_cast<std::size_t>(direction)]; }
  gpu::StagedCopies& staged_copies(CopyDirection direction);
  void close_staged(std::optional<gpu::StagedCopies>& staged, void*& stages) noexcept;
  void open_memory();
  cudaError_t allocate_memory(gpu::MemoryKind kind, void** pointer, std::size_t bytes);
  void close() noexcept;  // also after a constructor that failed half-way

  int device_ = 0;
  std::string uuid_;
  cudaStream_t stream_ = nullptr;
  bool idle_ = false;
  std::uint64_t waits_ = 0;
  std::unique_ptr<gpu::DeviceMemory> memory_;
  std::size_t reserve_ = 0;  // bytes of memory_ that stay between repetitions
  gpu::MemoryLedger ledger_;
  std::unique_ptr<DeviceProbe> probe_;
  std::atomic<std::uint64_t> bytes_h2d_{0}, bytes_d2h_{0};
  std::uint64_t control_reads_ = 0;
  std::array<CopyLane, 2> lanes_;
  void* background_stages_ = nullptr;  // pinned, of background_
  std::optional<gpu::BackgroundUploads> background_;
  std::shared_ptr<void> kept_;  // page-locked
  std::size_t kept_bytes_ = 0;
  void* control_ = nullptr;  // pinned, 64 bytes
  void* stages_ = nullptr;   // pinned, of staged_
  std::optional<gpu::StagedCopies> staged_;
  int sm_count_ = 0, max_resident_warps_ = 0;
};

}  // namespace lufact
