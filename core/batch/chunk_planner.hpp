// SPDX-License-Identifier: BSD-3-Clause
// A batch larger than the memory where it is computed goes through in chunks: while one is
// computed, the next is uploaded and the one before comes back, each in a buffer of a ring.
#pragma once
#include <cstdint>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Chunks are multiples of this, but for the last one.
inline constexpr Offset chunk_unit = 1024;
// Arrays of a buffer begin at multiples of this many bytes.
inline constexpr std::uint64_t chunk_alignment = 256;

struct ChunkRequest {
  Offset count = 0;                        // matrices, 1 or more
  std::vector<Offset> bytes_per_matrix{};  // of every array that a chunk has: A, b, pivots, ...
  std::uint64_t budget = 0;                // bytes for all buffers
};

struct Chunk {
  Offset first = 0, matrices = 0;
  int buffer = 0;
};

// Chunk c has the matrices behind those of chunk c - 1 and the buffer c mod buffers. It may be
// uploaded as soon as chunk c - buffers has come back.
struct ChunkPlan {
  Offset count = 0, chunk_matrices = 0, chunks = 0;
  int buffers = 1;
  std::vector<std::uint64_t> array_begin;  // of each array in a buffer, for chunk_matrices
  std::uint64_t buffer_bytes = 0;          // a multiple of chunk_alignment

  Chunk chunk(Offset number) const noexcept;
  std::uint64_t bytes() const noexcept {
    return static_cast<std::uint64_t>(buffers) * buffer_bytes;
  }
};

// The fewest bytes that a plan needs: one chunk of chunk_unit matrices, or of all if they are
// fewer. Throws Error{oom_host, "size_overflow"}.
std::uint64_t least_chunk_budget(const ChunkRequest& request);

// Four buffers where the budget has room for them, and chunks of about a 64th of the batch, so that
// little time goes by before the first and after the last kernel, but not so small that starting a
// copy takes longer than the copy. Throws Error{oom_device, "chunk_memory"} naming the need where
// the budget is below least_chunk_budget(), std::invalid_argument for no matrices or no arrays.
ChunkPlan plan_chunks(const ChunkRequest& request);

}  // namespace lufact
