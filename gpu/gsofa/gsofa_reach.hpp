// SPDX-License-Identifier: BSD-3-Clause
// How far down the search of a source comes, so that maxId is kept for those vertices alone. Host
// arithmetic without CUDA.
#pragma once
#include <span>
#include <vector>

#include "core/base/host_device.hpp"
#include "core/distribution/gsofa_schedule.hpp"

namespace lufact::gpu {

// For each row s the largest a <= s for which no row of [a, s] has an entry left of a, so that the
// search of s, which passes vertices below s alone, comes to none below a. first_columns[row] is
// the smallest column of the row, at most the row itself. Behind a nested dissection, or wherever
// the labels are a postorder of the elimination forest, it is where the subtree of s begins. O(n):
// intervals that touch become one.
std::vector<Index> lowest_reached(std::span<const Index> first_columns);

// Words of maxId where each source of a device has one for [lowest_reached, source).
class GsofaReach {
 public:
  GsofaReach(const GsofaShare& share, std::span<const Index> first_columns);

  // Words of the sources at the places [0, place).
  Offset begin(Offset place) const { return begins_[at(place)]; }
  // Of all places, and behind the last one.
  std::span<const Offset> begins() const noexcept { return begins_; }

 private:
  std::vector<Offset> begins_;
};

// Where among the words of a batch the maxId of vertex 0 is or would be, for a slot whose words end
// at slot_end where those of the batch begin at batch_begin: vertex v is v words further on. The
// search asks for none below the slot's first word.
LUFACT_HOST_DEVICE constexpr Offset reach_origin(Offset batch_begin, Offset slot_end,
                                                 Index source) {
  return slot_end - batch_begin - source;
}

}  // namespace lufact::gpu
