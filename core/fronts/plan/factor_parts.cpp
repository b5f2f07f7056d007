// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/factor_parts.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace lufact {
namespace {

// Parts smaller than this share of the largest front, 1 in so many, leave it alone in its part all
// the same, and save little.
constexpr Offset share_of_largest = 8;

// Shares of what the largest front stores of the factors, and of the largest contribution block.
PartLimits least_limits(const TaskGraph& graph) {
  PartLimits least{.contributions = 0, .factors = 0};
  for (std::size_t f = 0; f < graph.shape.size(); ++f) {
    const bool last = f + 1 == graph.shape.size();
    const Offset end = last ? graph.factor_entries : graph.shape[f + 1].factors;
    least.factors = std::max(least.factors, end - graph.shape[f].factors);
    least.contributions =
        std::max(least.contributions, Offset{graph.shape[f].rows} * graph.shape[f].rows);
  }
  least.contributions /= share_of_largest;
  least.factors /= share_of_largest;
  return least;
}

std::vector<Offset> ends_of(const FrontParts& parts, const TaskGraph& graph) {
  if (!std::ranges::is_sorted(parts.part)) throw std::logic_error("parts are not contiguous");
  std::vector<Offset> end(at(parts.count), graph.factor_entries);
  for (std::size_t f = 1; f < parts.part.size(); ++f) {
    const Index before = parts.part[f - 1];
    if (parts.part[f] != before) end[at(before)] = graph.shape[f].factors;
  }
  return end;
}

FactorPartsPlan plan_within(const PartLimits& limits, TaskGraph& graph) {
  FactorPartsPlan plan{.parts = place_in_parts(limits, graph), .factor_end = {}, .entries = 0};
  plan.factor_end = ends_of(plan.parts, graph);
  const std::array<Offset, 2> regions = factor_regions(plan.factor_end);
  plan.entries = regions[0] + regions[1] + graph.contribution_entries;
  return plan;
}

// A limit and the next smaller one to try, down to the least, which is the last.
class FallingLimit {
 public:
  FallingLimit(Offset first, Offset least) : least_(least), limit_(std::max(first, least)) {}

  Offset value() const noexcept { return limit_; }
  bool fall() noexcept {
    if (limit_ == least_) return false;
    limit_ = std::max(limit_ / 3 * 2, least_);
    return true;
  }

 private:
  Offset least_, limit_;
};

}  // namespace

std::array<Offset, 2> factor_regions(std::span<const Offset> factor_end) {
  std::array<Offset, 2> regions{0, 0};
  Offset begin = 0;
  for (std::size_t p = 0; p < factor_end.size(); ++p) {
    regions[p % 2] = std::max(regions[p % 2], factor_end[p] - begin);
    begin = factor_end[p];
  }
  return regions;
}

// Large parts keep more of the card busy, and are few launches. What two of them leave is for
// contribution blocks. What is tried does not depend on the room, so that the least of it is the
// least of any room.
FactorPartsPlan plan_factor_parts(Offset room, TaskGraph& graph) {
  place_contributions(graph);
  const Offset all_blocks = graph.contribution_entries;
  const PartLimits last = least_limits(graph);
  PartLimits smallest;
  Offset least = std::numeric_limits<Offset>::max();
  FallingLimit factors(graph.factor_entries / 2, last.factors);
  do {
    FallingLimit blocks(all_blocks, last.contributions);
    do {
      const PartLimits limits{blocks.value(), factors.value(), true};
      FactorPartsPlan plan = plan_within(limits, graph);
      if (plan.entries <= room) return plan;
      if (plan.entries >= least) continue;
      least = plan.entries;
      smallest = limits;
    } while (blocks.fall());
  } while (factors.fall());
  return plan_within(smallest, graph);
}

std::vector<SolveLeg> solve_legs(std::span<const Index> solve_end) {
  const auto last = static_cast<Index>(solve_end.size()) - 1;
  const Index turn = 2 * solve_end.back();
  std::vector<SolveLeg> legs;
  const auto first_of = [&](Index part) { return part == 0 ? 0 : solve_end[at(part - 1)]; };
  for (Index p = 0; p <= last; ++p) {
    const Index first = first_of(p), end = solve_end[at(p)];
    legs.push_back({p, first, p == last ? turn - first : end, end - first});
  }
  for (Index p = last - 1; p >= 0; --p) {
    const Index first = first_of(p), end = solve_end[at(p)];
    legs.push_back({p, turn - end, turn - first, end - first});
  }
  return legs;
}

}  // namespace lufact
