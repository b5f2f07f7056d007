// SPDX-License-Identifier: BSD-3-Clause
// The steps of the symbolic factorization by panels, one matrix at a time.
#pragma once
#include <memory>
#include <optional>

#include "core/pipeline/stage.hpp"
#include "gpu/forest/forest_edges.hpp"
#include "gpu/symbolic/panels/panel_fronts.hpp"
#include "gpu/symbolic/panels/panel_output.hpp"
#include "gpu/symbolic/panels/panel_structure.hpp"

namespace lufact::gpu {

class PanelPasses {
 public:
  // Makes the resident arrays whose size is known: row pointers and diagonal positions.
  PanelPasses(const DevicePermutedMatrix& matrix, StageContext& context);

  // Builds the forest, and the panels too where the rows of B have the edges in postorder.
  void find_structure();
  // Finds panels, slots and the bits of B's entries, for a symmetric pattern those of L + U.
  void find_bound();
  // Turns B's bits into those of L + U, for an unsymmetric pattern.
  void eliminate();
  // Row offsets, the columns' allocation once the rest of the pipeline is known to fit, columns.
  void write();
  std::shared_ptr<DeviceColumnPattern> finish();

 private:
  void sort_edges();
  void warn_of_height();

  DeviceSession& session_;
  StageContext& context_;
  PatternRef matrix_;
  Offset nnz_;
  std::shared_ptr<DeviceColumnPattern> result_;
  StructureArrays structure_;
  StructureFacts facts_;
  std::optional<SortedEdges> sorted_edges_;  // until the slots are found
  SlotArrays slots_;
  FrontArrays fronts_;
  OutputArrays output_;
  Buffer<std::byte> structure_block_, slot_block_;
  Buffer<std::byte> structure_work_;  // until the slots are found
};

}  // namespace lufact::gpu
