// SPDX-License-Identifier: BSD-3-Clause
// The steps of finding a front tree on the device, one matrix at a time.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/fronts/analysis/amalgamate.hpp"
#include "core/fronts/analysis/group_children.hpp"
#include "gpu/forest/forest_edges.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/symbolic/tree_places.hpp"

namespace lufact::gpu {

class TreePasses {
 public:
  // `matrix` has at least one row.
  TreePasses(const DevicePermutedMatrix& matrix, StageContext& context);

  // Builds the forest, relabels in postorder where need be, and sorts the edges.
  void find_forest();
  // Counts columns and finds the supernodes before amalgamation.
  void count_columns();
  // Amalgamates supernodes on the host; the device sorts entries meanwhile.
  void merge();
  // Finds the rows of all fronts, and adds grouping fronts, which the host plans from the rows of
  // the children that it may group.
  void find_rows();
  // Finds relative indices, and the places of B's entries in fronts.
  void place();
  std::shared_ptr<DeviceFrontTree> finish();

 private:
  void start_sorting_entries();
  void upload_merged();
  void write_rows();
  // Adds grouping fronts where a front has too many children.
  void group_children();
  std::vector<Index> download_rows(const std::vector<Index>& fronts, std::vector<Offset>& begin);
  void move_rows(GroupedFronts&& grouped);
  void renumber(const std::vector<Index>& number);

  DeviceSession& session_;
  StageContext& context_;
  const DevicePermutedMatrix& matrix_;
  std::shared_ptr<DeviceFrontTree> result_;
  std::optional<PostorderedForest> forest_;
  std::optional<SortedEdges> sorted_edges_;  // until rows are found
  EdgeLists edges_;
  CountArrays counts_;
  CountFacts count_facts_;
  AmalgamatedSets merged_;
  PositionArrays positions_;
  FrontRows rows_;
  FrontsRef fronts_;
  EntryOrder entry_order_;
  Buffer<std::byte> count_block_, position_block_, order_block_;
  Buffer<Index> front_of_row_;
  Buffer<Index> tables_;  // of sets and fronts
  Buffer<Offset> row_ptr_;
};

}  // namespace lufact::gpu
