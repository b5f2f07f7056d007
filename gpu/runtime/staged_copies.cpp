// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/staged_copies.hpp"

#include <algorithm>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

// Bytes that a thread handles at a time, a few microseconds: a thread that the system stops in a
// piece holds up the others at least as long.
constexpr std::size_t piece_bytes = std::size_t{16} << 10;
// Waking helpers takes about as long as one core takes for half of this.
constexpr std::size_t worthwhile = std::size_t{512} << 10;
static_assert(piece_bytes % StagedCopies::alignment == 0);
static_assert(StagedCopies::stage_bytes % StagedCopies::alignment == 0);

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + StagedCopies::alignment - 1) / StagedCopies::alignment * StagedCopies::alignment;
}

}  // namespace

StagedCopies::StagedCopies(void* pinned, cudaStream_t stream, int threads)
    : pinned_(static_cast<std::byte*>(pinned)),
      stream_(stream),
      workers_(std::clamp(threads, 1, most_threads) - 1) {
  try {
    for (cudaEvent_t& event : done_) {
      LUFACT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
  } catch (...) {
    close();
    throw;
  }
}

StagedCopies::~StagedCopies() {
  close();
}

void StagedCopies::close() noexcept {
  for (const cudaEvent_t event : done_) {
    if (event != nullptr) LUFACT_CUDA_NOEXCEPT(cudaEventDestroy(event));
  }
}

// Calls work(offset, bytes) for the pieces of a part, with helpers where the array is long.
template <class Work>
void StagedCopies::in_pieces(std::size_t bytes, bool with_helpers, const Work& work) {
  if (!with_helpers) return work(0, bytes);
  const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  workers_.run(static_cast<std::uint32_t>(pieces), [&](std::uint32_t piece) {
    const std::size_t first = piece * piece_bytes;
    work(first, std::min(piece_bytes, bytes - first));
  });
}

void StagedCopies::enter_next_stage() {
  LUFACT_CUDA(cudaEventRecord(done_[current_], stream_));
  current_ = (current_ + 1) % stages;
  used_ = 0;
  LUFACT_CUDA(cudaEventSynchronize(done_[current_]));
}

void StagedCopies::upload(void* to, std::size_t bytes, const Fill& fill) {
  for (std::size_t first = 0; first < bytes;) {
    if (used_ == stage_bytes) enter_next_stage();
    std::byte* const place = stage(current_) + used_;
    const std::size_t some = std::min(stage_bytes - used_, bytes - first);
    in_pieces(some, bytes >= worthwhile, [&](std::size_t offset, std::size_t part) {
      fill(place + offset, first + offset, part);
    });
    LUFACT_CUDA(cudaMemcpyAsync(static_cast<std::byte*>(to) + first, place, some,
                                cudaMemcpyHostToDevice, stream_));
    used_ += aligned(some);
    first += some;
  }
}

// Starts the copy of part `part` of the array, a stage long, to its stage.
void StagedCopies::fetch(const std::byte* from, std::size_t bytes, std::size_t part) {
  const std::size_t first = part * stage_bytes;
  LUFACT_CUDA(cudaMemcpyAsync(stage(part % stages), from + first,
                              std::min(stage_bytes, bytes - first), cudaMemcpyDeviceToHost,
                              stream_));
  LUFACT_CUDA(cudaEventRecord(done_[part % stages], stream_));
}

// Uploads from the stages come earlier on the stream, so that nothing is overwritten that the card
// has yet to read.
void StagedCopies::download(const void* from, std::size_t bytes, const Drain& drain) {
  const auto* const source = static_cast<const std::byte*>(from);
  const std::size_t parts = (bytes + stage_bytes - 1) / stage_bytes;
  for (std::size_t part = 0; part < std::min(parts, stages); ++part) fetch(source, bytes, part);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * stage_bytes;
    LUFACT_CUDA(cudaEventSynchronize(done_[part % stages]));
    in_pieces(std::min(stage_bytes, bytes - first), bytes >= worthwhile,
              [&](std::size_t offset, std::size_t some) {
                drain(stage(part % stages) + offset, first + offset, some);
              });
    if (part + stages < parts) fetch(source, bytes, part + stages);
  }
  used_ = 0;  // all copies before are done
}

}  // namespace lufact::gpu
