// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/forest/elimination_forest.hpp"

namespace lufact::gpu {

// The pattern of B with labels that are a postorder of the elimination forest of B + B', and that
// forest: the device's form of core/fronts/analysis/postordered_pattern.hpp, with the same labels.
// B's own pattern where B's labels are a postorder; else rows and columns are relabelled, which
// takes some kernels and builds the forest a second time. `b` must outlive this.
class PostorderedForest {
 public:
  PostorderedForest(DeviceSession& session, const DevicePermutedMatrix& b);

  const PatternRef& pattern() const noexcept { return pattern_; }
  Offset nnz() const noexcept { return nnz_; }
  const ForestArrays& arrays() const noexcept { return arrays_; }
  const ForestFacts& facts() const noexcept { return facts_; }
  // label[k]: B's label of row k here; source[p]: B's position of entry p. Null where equal to B's.
  const Index* label() const noexcept { return label_; }
  const Index* source() const noexcept { return source_; }

 private:
  void build(DeviceSession& session);
  void relabel(DeviceSession& session);

  PatternRef pattern_;
  Offset nnz_;
  ForestArrays arrays_;
  ForestFacts facts_;
  Index *label_ = nullptr, *source_ = nullptr;
  Buffer<std::byte> forest_block_, moved_block_;
};

}  // namespace lufact::gpu
