// SPDX-License-Identifier: BSD-3-Clause
// The part of PipelineRun that knows what a run takes of a device's memory behind the factors.
#include <algorithm>

#include "core/run/pipeline_run.hpp"

namespace lufact {
namespace {

// Of n doubles for each right-hand side: of refinement, and of new values that are on the device.
constexpr Offset later_vectors = 5;
// A matrix on the device, and the new values that a refactorization brings.
constexpr std::size_t matrix_row_bytes = 64, matrix_entry_bytes = 20, new_value_bytes = 24;
// Its transpose by rows, and the sort of entries that makes it.
constexpr std::size_t transpose_row_bytes = 8, transpose_entry_bytes = 32;

}  // namespace

// Bytes that what is made from here to the factors may take: vectors and new values come behind
// them, the transpose where it is solved with, and the matrix unless it is there. Many systems
// divide the memory among themselves.
std::optional<std::uint64_t> PipelineRun::room_for_factors() const {
  const bool factors = settings_.until >= Until::numeric && tail_->selector == nullptr &&
                       tail_->numeric->info().side == Side::device;
  if (!factors || !environment_.device_room || many_systems_) return std::nullopt;
  const Offset n = system_.input.matrix.pattern.n_rows, nnz = system_.input.matrix.pattern.nnz();
  const bool there = products_.placed_matrix && products_.placed_matrix->side() == Side::device;
  const std::uint64_t matrix =
      checked_bytes(n, matrix_row_bytes) + checked_bytes(nnz, matrix_entry_bytes);
  const std::uint64_t transpose =
      checked_bytes(n + 1, transpose_row_bytes) + checked_bytes(nnz, transpose_entry_bytes);
  const std::uint64_t behind = checked_bytes(n * later_vectors, at(system_.rhs) * sizeof(double)) +
                               checked_bytes(nnz, new_value_bytes) + (there ? 0 : matrix) +
                               (system_.transposed ? transpose : 0);
  const std::uint64_t room = environment_.device_room();
  return room - std::min(room, behind);
}

}  // namespace lufact
