// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/staged_upload.hpp"

#include <algorithm>
#include <cstring>

#include "core/matrix/parallel.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

// What a thread copies at a time.
constexpr std::size_t piece_bytes = std::size_t{128} << 10;

void copy_on_all_threads(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  parallel_for(static_cast<Offset>(pieces), thread_count(0), [&](Offset piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * piece_bytes;
    std::memcpy(to + first, from + first, std::min(piece_bytes, bytes - first));
  });
}

}  // namespace

StagedUpload::Stage::Stage(void* pinned) : memory(pinned) {
  LUFACT_CUDA(cudaEventCreateWithFlags(&read, cudaEventDisableTiming));
}

StagedUpload::Stage::~Stage() {
  LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(read));
}

void StagedUpload::copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
  for (std::size_t first = 0, k = 0; first < bytes; first += stage_bytes, ++k) {
    const Stage& stage = stages_[k % 2];
    const std::size_t some = std::min(stage_bytes, bytes - first);
    LUFACT_CUDA(cudaEventSynchronize(stage.read));  // of a copy before, if any
    copy_on_all_threads(static_cast<std::byte*>(stage.memory),
                        static_cast<const std::byte*>(from) + first, some);
    LUFACT_CUDA(cudaMemcpyAsync(static_cast<std::byte*>(to) + first, stage.memory, some,
                                cudaMemcpyHostToDevice, stream));
    LUFACT_CUDA(cudaEventRecord(stage.read, stream));
  }
}

}  // namespace lufact::gpu
