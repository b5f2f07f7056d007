// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/order/nd/coarsening.hpp"

namespace lufact::nd {

// How far a graph is coarsened before its first partition, and the limits of each step; the same on
// host and device.
class CoarseningPlan {
 public:
  CoarseningPlan(Index parts, std::uint64_t seed, Offset weight)
      : parts_(parts),
        seed_(seed),
        weight_(weight),
        target_(std::max(vertices_per_part * parts, least_vertices)),
        largest_cluster_(std::max<Offset>(2, 3 * weight / (2 * target_))) {}

  Index parts() const noexcept { return parts_; }
  std::uint64_t seed() const noexcept { return seed_; }
  Index target() const noexcept { return target_; }  // coarsening ends at so few vertices

  // Rules of the step that follows `depth` others.
  ClusterRules rules(std::size_t depth) const noexcept {
    return {.left_out = {},
            .largest_weight = largest_cluster_,
            .seed = (seed_ << 48) + (static_cast<std::uint64_t>(depth) << 40)};
  }
  // Whether to form stars, else pairs: a star needs room for several vertices of average weight.
  bool wants_stars(Index vertices) const noexcept {
    return largest_cluster_ * vertices >= 12 * weight_;
  }
  static bool hardly_smaller(Index clusters, Index vertices) noexcept {
    return clusters > vertices - vertices / 20;
  }

 private:
  static constexpr Index vertices_per_part = 14, least_vertices = 280;

  Index parts_;
  std::uint64_t seed_;
  Offset weight_;  // of the whole graph
  Index target_;
  Offset largest_cluster_;
};

}  // namespace lufact::nd
