// SPDX-License-Identifier: BSD-3-Clause
// Copies between host and device through pinned pages, the stages: a few threads fill or empty one
// stage while the card reads or writes the others. The driver copies pageable memory on one thread,
// at 7 GB/s, and waiting for a short copy takes longer than the copy.
#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <functional>

#include "gpu/runtime/piece_workers.hpp"

namespace lufact::gpu {

class StagedCopies {
 public:
  // Large enough to hide the start of a copy, small enough to stay in the cores' caches and for the
  // card to start soon.
  static constexpr std::size_t stage_bytes = std::size_t{1} << 20;
  static constexpr std::size_t stages = 4;
  static constexpr std::size_t pinned_bytes = stages * stage_bytes;
  // One core copies at a seventh of what the card reads and writes over its link, eight at half of
  // that (bench_staged_copies).
  static constexpr int most_threads = 8;
  // Parts of an array begin at multiples of this.
  static constexpr std::size_t alignment = 256;

  // Puts bytes [first, first + bytes) of an array to `to`; must not throw.
  using Fill = std::function<void(std::byte* to, std::size_t first, std::size_t bytes)>;

  // `pinned` has pinned_bytes and outlives the object. All copies are on one stream. Of `threads`,
  // the caller included, most_threads at most take part.
  StagedCopies(void* pinned, cudaStream_t stream, int threads);
  ~StagedCopies();
  StagedCopies(const StagedCopies&) = delete;
  StagedCopies& operator=(const StagedCopies&) = delete;

  // Calls `fill` for all parts of the array, from several threads where the array is long. On
  // return copies have been started but need not be complete. Short arrays share a stage.
  void upload(void* to, std::size_t bytes, const Fill& fill);
  // Takes bytes [first, first + bytes) of an array from `from`; must not throw.
  using Drain = std::function<void(const std::byte* from, std::size_t first, std::size_t bytes)>;
  // Calls `drain` for all parts of the array, likewise. Everything that the stream had to do before
  // is complete on return.
  void download(const void* from, std::size_t bytes, const Drain& drain);

 private:
  std::byte* stage(std::size_t number) const { return pinned_ + number * stage_bytes; }
  template <class Work>
  void in_pieces(std::size_t bytes, bool with_helpers, const Work& work);
  void enter_next_stage();
  void fetch(const std::byte* from, std::size_t bytes, std::size_t part);
  void close() noexcept;

  std::byte* pinned_;
  cudaStream_t stream_;
  // By stage: recorded after the last copy through it.
  std::array<cudaEvent_t, stages> done_{};
  std::size_t current_ = 0;  // the stage that uploads fill
  std::size_t used_ = 0;     // bytes of it
  PieceWorkers workers_;
};

}  // namespace lufact::gpu
