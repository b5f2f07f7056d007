// SPDX-License-Identifier: BSD-3-Clause
// The steps of the tuned fill search, one matrix at a time.
#pragma once
#include <memory>
#include <string_view>

#include "core/pipeline/stage.hpp"
#include "gpu/symbolic/fill2/fill2_kernels.hpp"

namespace lufact::gpu {

class Fill2Passes {
 public:
  // Makes the resident arrays whose size is known: row pointers and diagonal positions.
  Fill2Passes(const DevicePermutedMatrix& matrix, StageContext& context);

  // Builds the forest, and for an unsymmetric pattern its crossing edges, for all searches.
  void build_graph();
  // First pass: entries of every row.
  void count();
  // Row offsets, and the columns' allocation once the rest of the pipeline is known to fit.
  void scan();
  // Second pass.
  void positions();
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  void build_crossings();
  void keep_rows();
  void make_room(std::uint64_t pattern_bytes);
  KeptRows kept_rows() noexcept;
  Fill2Workspace make_workspace(int mark_sets);
  void note_pass(const Fill2Workspace& workspace, std::string_view what);

  DeviceSession& session_;
  StageContext& context_;
  PatternRef matrix_;
  Offset nnz_;
  std::shared_ptr<DeviceColumnPattern> result_;
  SymmetricForest forest_;
  DeviceTranspose transpose_;
  CrossingEdges crossing_by_row_, crossing_by_column_;
  Fill2Graph graph_;
  int mark_sets_ = 1;
  Buffer<Index> kept_entries_, kept_lengths_;
  Buffer<Offset> kept_begins_, kept_used_;
};

}  // namespace lufact::gpu
