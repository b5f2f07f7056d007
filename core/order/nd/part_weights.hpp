// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <vector>

#include "core/base/types.hpp"

namespace lufact::nd {

// The weights around one vertex by part, for the first `most` parts met; a thread's workspace. A
// part's entry is found by its number: hubs have neighbours by the ten thousand.
template <int most>
class PartWeights {
 public:
  explicit PartWeights(Index parts) : entry_(static_cast<std::size_t>(parts), none) {}

  void clear() noexcept {
    for (int k = 0; k < count_; ++k) entry_[static_cast<std::size_t>(part_[k])] = none;
    count_ = 0;
  }

  // False, and nothing added, where the part would be number most + 1.
  bool add(Index part, float weight) noexcept {
    int& entry = entry_[static_cast<std::size_t>(part)];
    if (entry == none) {
      if (count_ == most) return false;
      entry = count_++;
      part_[entry] = part;
      weight_[entry] = 0;
    }
    weight_[entry] += weight;
    return true;
  }

  int count() const noexcept { return count_; }
  Index part(int k) const noexcept { return part_[k]; }
  float weight(int k) const noexcept { return weight_[k]; }

 private:
  static constexpr int none = -1;
  std::vector<int> entry_;  // by part
  std::array<Index, most> part_{};
  std::array<float, most> weight_{};
  int count_ = 0;
};

}  // namespace lufact::nd
