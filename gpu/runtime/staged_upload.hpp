// SPDX-License-Identifier: BSD-3-Clause
// Copies to the device through pinned pages: all threads fill one stage while the card reads the
// other. The driver's own copy from pageable memory is one thread's: 7 GB/s against 50.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

namespace lufact::gpu {

class StagedUpload {
 public:
  // Large enough to hide the start of a copy, small enough to stay in the cores' caches.
  static constexpr std::size_t stage_bytes = std::size_t{2} << 20;
  static constexpr std::size_t pinned_bytes = 2 * stage_bytes;

  // `pinned` has pinned_bytes and outlives the object.
  explicit StagedUpload(void* pinned)
      : stages_{Stage(pinned), Stage(static_cast<std::byte*>(pinned) + stage_bytes)} {}

  // Returns once `from` may be changed; the last stages may still be on their way on `stream`.
  void copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

 private:
  struct Stage {
    explicit Stage(void* pinned);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    void* memory;
    cudaEvent_t read = nullptr;  // by the card
  };
  Stage stages_[2];
};

}  // namespace lufact::gpu
