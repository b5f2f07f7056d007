// SPDX-License-Identifier: BSD-3-Clause
#include <cub/device/device_scan.cuh>

#include "gpu/components/runs.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

struct Larger {
  __host__ __device__ Index operator()(Index a, Index b) const { return a < b ? b : a; }
};

// All three kernels: one thread per item. start[i] is i where a piece begins, else 0.
__global__ void mark_starts(const Index* joined, Index count, Index* start) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < count) start[i] = joined[i] != 0 ? 0 : static_cast<Index>(i);
}

__global__ void mark_pieces(const Index* start, Index count, Index most, Index* begins) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < count) begins[i] = (static_cast<Index>(i) - start[i]) % most == 0 ? 1 : 0;
}

// `number` counts the pieces that begin up to and with each item.
__global__ void number_pieces(const Index* number, Index count, Index* piece_of, Index* first) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const Index piece = number[i] - 1;
  piece_of[i] = piece;
  if (i == 0 || number[i - 1] <= piece) first[piece] = static_cast<Index>(i);
  if (i == count - 1) first[piece + 1] = count;
}

template <class Scan>
void with_temporary(DeviceSession& session, const Scan& scan) {
  std::size_t bytes = 0;
  LUFACT_CUDA(scan(nullptr, bytes));
  Buffer<unsigned char> temporary(session, MemoryRole::scratch, static_cast<Offset>(bytes),
                                  "cutting runs");
  LUFACT_CUDA(scan(temporary.data(), bytes));
}

}  // namespace

RunPieces cut_runs(DeviceSession& session, MemoryRole role, const Buffer<Index>& joined,
                   Index most) {
  const Index count = checked_index(joined.size(), "the items of runs");
  RunPieces result{{session, role, count, "pieces of the items"},
                   {session, role, count + Offset{1}, "first items of the pieces"}};
  Buffer<Index> marks(session, MemoryRole::scratch, count, "starts of the runs");
  Buffer<Index> sums(session, MemoryRole::scratch, count, "numbers of the pieces");
  const LaunchShape shape{ceil_div(count, threads), threads};
  launch(session, shape, mark_starts, joined.data(), count, marks.data());
  with_temporary(session, [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(temporary, bytes, marks.data(), sums.data(), Larger{},
                                          count, session.stream());
  });
  launch(session, shape, mark_pieces, sums.data(), count, most, marks.data());
  with_temporary(session, [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temporary, bytes, marks.data(), sums.data(), count,
                                         session.stream());
  });
  launch(session, shape, number_pieces, sums.data(), count, result.piece_of.data(),
         result.first.data());
  return result;
}

}  // namespace lufact::gpu
