// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "gpu/components/scan.hpp"
#include "gpu/gsofa/gsofa_assembly.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
constexpr int block_warps = block_threads / warp_size;
constexpr Offset piece_entries = (Offset{64} << 20) / static_cast<Offset>(sizeof(Index));

// By place: begin[0 .. rows]. A copy of the part's columns from `first` on.
struct PieceRef {
  const Offset* begin = nullptr;
  const Index* columns = nullptr;
  Offset first = 0, count = 0;
};

// counts[row] and, for now relative to its row, diagonal[row] of each row of a part. diagonal has
// the part's positions by place, at `found`.
__global__ void add_counts(GsofaShare share, Offset rows, const Offset* begin, const Offset* found,
                           Offset* counts, Offset* diagonal) {
  const Offset place = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= rows) return;
  const Index row = share.row(place);
  counts[row] = begin[place + 1] - begin[place];
  diagonal[row] = found[place] - begin[place];
}

__global__ void shift_diagonal(Index n, const Offset* row_ptr, Offset* diagonal) {
  const Offset row = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < n) diagonal[row] += row_ptr[row];
}

// A warp for each row of the part: what the piece has of it.
__global__ void __launch_bounds__(block_threads)
    place_columns(GsofaShare share, Offset rows, PieceRef piece, const Offset* row_ptr,
                  Index* col_idx) {
  const Offset place =
      static_cast<Offset>(blockIdx.x) * block_warps + static_cast<int>(threadIdx.x) / warp_size;
  if (place >= rows) return;
  const Offset own = piece.begin[place];
  const Offset low = max(own, piece.first);
  const Offset high = min(piece.begin[place + 1], piece.first + piece.count);
  if (low >= high) return;
  Index* const out = col_idx + (row_ptr[share.row(place)] - own);
  for (Offset p = low + static_cast<int>(threadIdx.x) % warp_size; p < high; p += warp_size) {
    out[p] = piece.columns[p - piece.first];
  }
}

class Assembly {
 public:
  Assembly(DeviceSession& session, Index n) : session_(session) {
    result_ = std::make_shared<DeviceColumnPattern>();
    result_->n = n;
    result_->row_ptr = {session, MemoryRole::resident, Offset{n} + 1, "the row pointers of L + U"};
    result_->diagonal = {session, MemoryRole::resident, n, "the diagonal positions of L + U"};
    result_->row_ptr.fill_bytes(0);
  }

  // All parts before close_rows().
  void add(const GsofaPart& part) {
    const Offset rows = part.share.count();
    Buffer<Offset>& begin =
        begins_.emplace_back(session_, MemoryRole::scratch, rows + 1, "the counts of a device");
    part.row_ptr(begin.data());
    Buffer<Offset> found(session_, MemoryRole::scratch, rows, "the diagonals of a device");
    part.diagonal(found.data());
    launch(session_, {ceil_div(rows, block_threads), block_threads}, add_counts, part.share, rows,
           begin.data(), found.data(), result_->row_ptr.data(), result_->diagonal.data());
  }

  void close_rows(Offset nnz) {
    const Index n = result_->n;
    exclusive_scan_in_place(session_, result_->row_ptr.data(), Offset{n} + 1);
    launch(session_, {ceil_div(n, block_threads), block_threads}, shift_diagonal, n,
           result_->row_ptr.data(), result_->diagonal.data());
    result_->nnz = nnz;
    result_->col_idx = {session_, MemoryRole::resident, nnz, "the columns of L + U"};
  }

  // Part k of those added.
  void place(const GsofaPart& part, std::size_t k) {
    const Offset most = std::min(part.nnz, piece_entries);
    Buffer<Index> columns(session_, MemoryRole::scratch, most, "columns of a device on their way");
    for (Offset first = 0; first < part.nnz; first += piece_entries) {
      const PieceRef piece{begins_[k].data(), columns.data(), first,
                           std::min(piece_entries, part.nnz - first)};
      part.columns(columns.data(), piece.first, piece.count);
      const Offset rows = part.share.count();
      launch(session_, {ceil_div(rows, block_warps), block_threads}, place_columns, part.share,
             rows, piece, result_->row_ptr.data(), result_->col_idx.data());
    }
  }

  std::shared_ptr<DeviceColumnPattern> finish() { return std::move(result_); }

 private:
  DeviceSession& session_;
  std::shared_ptr<DeviceColumnPattern> result_;
  std::vector<Buffer<Offset>> begins_;
};

}  // namespace

std::uint64_t GsofaPart::bytes() const {
  return checked_bytes(2 * share.count() + 1, sizeof(Offset)) + checked_bytes(nnz, sizeof(Index));
}

std::shared_ptr<DeviceColumnPattern> assemble_pattern(DeviceSession& session, Index n,
                                                      std::span<const GsofaPart> parts) {
  Assembly assembly(session, n);
  Offset nnz = 0;
  for (const GsofaPart& part : parts) {
    assembly.add(part);
    nnz += part.nnz;
  }
  assembly.close_rows(nnz);
  for (std::size_t k = 0; k < parts.size(); ++k) assembly.place(parts[k], k);
  return assembly.finish();
}

}  // namespace lufact::gpu
