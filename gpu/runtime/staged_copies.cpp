// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/staged_copies.hpp"

#include <algorithm>

#include "core/matrix/parallel.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

// How arrays are shared out among threads.
struct Shares {
  std::size_t piece;       // what a thread handles at a time
  std::size_t worthwhile;  // below this one thread is done before others have started
};

// Starting threads takes about 15 us on 16 cores. In that time one core copies 100 KB to pages that
// the card has read last, or gathers half as much; the pieces of short arrays are to reach all
// threads. What drains a download often scatters: threads then share the cache lines that they
// write to, the more the shorter their pieces are.
constexpr Shares upload_shares{std::size_t{16} << 10, std::size_t{96} << 10};
constexpr Shares download_shares{std::size_t{64} << 10, std::size_t{256} << 10};
static_assert(upload_shares.piece % StagedCopies::alignment == 0);
static_assert(download_shares.piece % StagedCopies::alignment == 0);
static_assert(StagedCopies::stage_bytes % StagedCopies::alignment == 0);

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + StagedCopies::alignment - 1) / StagedCopies::alignment * StagedCopies::alignment;
}

// For an array of so many bytes.
int threads_for_array(std::size_t bytes, const Shares& shares) {
  return threads_for(static_cast<Offset>(bytes), static_cast<Offset>(shares.worthwhile),
                     thread_count(0));
}

// Calls work(offset, bytes) for the pieces of a part.
template <class Work>
void in_pieces(std::size_t bytes, std::size_t piece_bytes, int threads, const Work& work) {
  const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  parallel_for(static_cast<Offset>(pieces), threads, [&](Offset piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * piece_bytes;
    work(first, std::min(piece_bytes, bytes - first));
  });
}

}  // namespace

StagedCopies::StagedCopies(void* pinned, cudaStream_t stream)
    : pinned_(static_cast<std::byte*>(pinned)), stream_(stream) {
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

void StagedCopies::enter_next_stage() {
  LUFACT_CUDA(cudaEventRecord(done_[current_], stream_));
  current_ = (current_ + 1) % stages;
  used_ = 0;
  LUFACT_CUDA(cudaEventSynchronize(done_[current_]));
}

void StagedCopies::upload(void* to, std::size_t bytes, const Fill& fill) {
  const int threads = threads_for_array(bytes, upload_shares);
  for (std::size_t first = 0; first < bytes;) {
    if (used_ == stage_bytes) enter_next_stage();
    std::byte* const place = stage(current_) + used_;
    const std::size_t some = std::min(stage_bytes - used_, bytes - first);
    in_pieces(some, upload_shares.piece, threads, [&](std::size_t offset, std::size_t part) {
      fill(place + offset, first + offset, part);
    });
    LUFACT_CUDA(cudaMemcpyAsync(static_cast<std::byte*>(to) + first, place, some,
                                cudaMemcpyHostToDevice, stream_));
    used_ += aligned(some);
    first += some;
  }
}

// Part `part` of the array, a stage long, to its stage.
void StagedCopies::fetch(const std::byte* from, std::size_t bytes, std::size_t part) {
  const std::size_t first = part * stage_bytes;
  LUFACT_CUDA(cudaMemcpyAsync(stage(part % stages), from + first,
                              std::min(stage_bytes, bytes - first), cudaMemcpyDeviceToHost,
                              stream_));
  LUFACT_CUDA(cudaEventRecord(done_[part % stages], stream_));
}

// What uploads have left in the stages is older on the stream, so that nothing is overwritten that
// the card has yet to read.
void StagedCopies::download(const void* from, std::size_t bytes, const Drain& drain) {
  const auto* const source = static_cast<const std::byte*>(from);
  const int threads = threads_for_array(bytes, download_shares);
  const std::size_t parts = (bytes + stage_bytes - 1) / stage_bytes;
  for (std::size_t part = 0; part < std::min(parts, stages); ++part) fetch(source, bytes, part);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * stage_bytes;
    LUFACT_CUDA(cudaEventSynchronize(done_[part % stages]));
    in_pieces(std::min(stage_bytes, bytes - first), download_shares.piece, threads,
              [&](std::size_t offset, std::size_t some) {
                drain(stage(part % stages) + offset, first + offset, some);
              });
    if (part + stages < parts) fetch(source, bytes, part + stages);
  }
  used_ = 0;  // all copies before are done
}

}  // namespace lufact::gpu
