// SPDX-License-Identifier: BSD-3-Clause
// Kernels on a second stream that compete for the card in the stress tests.
#pragma once
#include <cstdint>

#include "core/base/random.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu::testing_support {

// Occupies `blocks` blocks of 1024 threads for about `cycles` clock cycles.
void launch_busy(cudaStream_t stream, int blocks, long long cycles);

class OtherStream {
 public:
  OtherStream() { LUFACT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OtherStream() {
    LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(stream_));
    LUFACT_CUDA_NOEXCEPT(cudaStreamDestroy(stream_));
  }
  OtherStream(const OtherStream&) = delete;
  OtherStream& operator=(const OtherStream&) = delete;

  // A part of the card, up to twice all of it, for up to about a quarter of a millisecond.
  void occupy_randomly(int multiprocessors, std::uint64_t seed) const {
    const std::uint64_t bits = hash64(23, seed);
    const auto most_blocks = static_cast<std::uint64_t>(4 * multiprocessors);
    launch_busy(stream_, static_cast<int>(bits % most_blocks) + 1,
                static_cast<long long>((bits >> 32) % 400000));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace lufact::gpu::testing_support
