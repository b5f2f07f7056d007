// SPDX-License-Identifier: BSD-3-Clause
// The structure that sizes all later arrays: the forest, the panels and the number of slots.
#pragma once
#include "gpu/forest/panel_slots.hpp"

namespace lufact::gpu {

// Figures that the host reads, all in one read.
struct StructureFacts {
  ForestFacts forest;
  PanelFacts panels;   // once the slots are counted
  Offset entries = 0;  // of L + U, once they are counted

  bool symmetric() const noexcept { return forest.one_sided == 0; }
  // The rows of B have the edges in the order that the search for slots needs.
  bool in_order() const noexcept { return symmetric() && forest.crossings == 0; }
};
static_assert(sizeof(StructureFacts) <= 64);

struct StructureArrays {
  ForestArrays forest;
  PanelArrays panels;
  struct Counters {
    StructureFacts facts;
    Index open[ForestArrays::counters] = {};
  };
  Counters* counters = nullptr;

  // Arrays needed until the forest is built, until the slots are found, and to the end.
  void lay_out_forest(Carver& carver, Index n, Offset nnz);
  void lay_out_work(Carver& carver, Index n, Offset nnz, Offset blocks);
  void lay_out_results(Carver& carver, Index n);
};

// The forest, and where the edges are in order the panels as well: one kernel, one control read.
// Columns of `matrix` ascend in each row and every diagonal entry is present.
StructureFacts find_structure(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                              const StructureArrays& arrays);

// The panels where the edges had to be sorted. One kernel, one control read.
PanelFacts count_slots(DeviceSession& session, const EdgeLists& edges,
                       const StructureArrays& arrays);

}  // namespace lufact::gpu
