// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/plan/factor_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/fronts/plan/device_bytes.hpp"
#include "core/fronts/plan/factor_parts.hpp"
#include "core/fronts/plan/lent_factors.hpp"

namespace lufact {
namespace {

// The subtrees of a part may take this share of the memory of all contribution blocks, 1 in so
// many. That gives some 25 parts, whose memory is little more than the blocks of large fronts.
constexpr Offset share_of_part = 16;

// What the device holds of a graph, in bytes.
struct Need {
  std::uint64_t value_bytes = 0;
  std::uint64_t fixed = 0;  // beside factors and contribution blocks, in any number of parts

  Need(const FrontTree& tree, const TaskGraph& graph, const StageOptions& options)
      : value_bytes(options.precision == Precision::float64 ? sizeof(double) : sizeof(float)) {
    FrontCounts counts = front_counts(tree, graph, options);
    counts.parts = counts.solve_parts = std::max<Offset>(counts.fronts, 1);
    // Parts take more tickets, with fewer tasks each.
    fixed = front_product_bytes(tree, graph) + front_work_bytes(counts, value_bytes) +
            checked_bytes(counts.tasks, sizeof(Index));
  }

  std::uint64_t with(Offset entries) const {
    return fixed + checked_bytes(entries, static_cast<std::size_t>(value_bytes));
  }
  // Entries that `room` bytes leave for factors and contribution blocks.
  Offset entries(std::uint64_t room) const {
    const std::uint64_t left = room > fixed ? (room - fixed) / value_bytes : 0;
    constexpr std::uint64_t most = std::numeric_limits<Offset>::max();
    return static_cast<Offset>(std::min(left, most));
  }
};

std::string text(std::uint64_t bytes) {
  return fmt::format("{} ({} bytes)", format_byte_size(bytes), bytes);
}

// What all of it on the device would take, and what there is.
std::string shortage(const Need& need, const TaskGraph& graph, std::uint64_t room) {
  return fmt::format("fronts want {}: {} for factors, {} for contribution blocks; free are {}",
                     format_byte_size(need.with(graph.factor_entries + graph.contribution_entries)),
                     format_byte_size(need.with(graph.factor_entries) - need.fixed),
                     format_byte_size(need.with(graph.contribution_entries) - need.fixed),
                     format_byte_size(room));
}

void note(const char* chosen, std::string reason, StageContext& context) {
  context.notes.choices.push_back({.stage = "factors",
                                   .chosen = chosen,
                                   .candidates = {"device", "device-parts", "host"},
                                   .reason = std::move(reason)});
}

[[noreturn]] void refuse(const Need& need, Offset entries, std::uint64_t room) {
  throw Error(Outcome::oom_device, "device_budget",
              fmt::format("fronts in parts, with factors on the host, want {} of device memory at "
                          "least; free are {}; raise --device-memory-limit or use a larger card",
                          text(need.with(entries)), text(room)));
}

// Asked for and not needed: such parts as half of the memory would make necessary.
Offset room_to_plan_for(const Need& need, const TaskGraph& graph, const StageContext& context) {
  const Offset half = (graph.factor_entries + graph.contribution_entries) / 2;
  const bool asked = context.options.factors == FactorPlace::host;
  if (!context.device_room) return half;
  const Offset room = need.entries(*context.device_room);
  return asked ? std::min(room, half) : room;
}

std::shared_ptr<TaskGraph> shapes_of(const TaskGraph& graph) {
  auto shapes = std::make_shared<TaskGraph>();
  shapes->shape = graph.shape;
  shapes->child = graph.child;
  shapes->factor_entries = graph.factor_entries;
  shapes->flags = graph.flags;
  return shapes;
}

PlacedShapes place_on_host(const Need& need, const TaskGraph& graph, const std::string& why,
                           StageContext& context) {
  const Offset room = room_to_plan_for(need, graph, context);
  auto shapes = shapes_of(graph);
  FactorPartsPlan plan = plan_factor_parts(room, *shapes);
  if (context.device_room && plan.entries > need.entries(*context.device_room)) {
    refuse(need, plan.entries, *context.device_room);
  }
  note("host",
       fmt::format("{}; {} parts take {} of device memory", why, plan.parts.count,
                   format_byte_size(need.with(plan.entries))),
       context);
  return {std::move(shapes), {std::move(plan.parts), std::move(plan.factor_end)}};
}

}  // namespace

Placement place_at_once(const FrontTree& tree, const StageContext& context, TaskGraph& graph) {
  if (context.blocks_apart) {
    place_contributions(graph);
  } else {
    place_in_factors(tree, graph);
  }
  return {};
}

Placement place_one_after_the_other(const FrontTree&, const StageContext&, TaskGraph& graph) {
  place_contributions(graph);
  return {place_in_parts({.contributions = graph.contribution_entries / share_of_part}, graph)};
}

std::optional<PlacedShapes> place_elsewhere(const FrontTree& tree, const TaskGraph& graph,
                                            StageContext& context) {
  const FactorPlace asked = context.options.factors;
  if (asked == FactorPlace::device) return std::nullopt;
  if (asked == FactorPlace::automatic && !context.device_room) return std::nullopt;
  const Need need(tree, graph, context.options);
  if (asked == FactorPlace::host) return place_on_host(need, graph, "--factors host", context);
  const std::uint64_t room = *context.device_room;
  if (need.with(graph.factor_entries + graph.contribution_entries) <= room) return std::nullopt;
  auto shapes = shapes_of(graph);
  Placement in_parts = place_one_after_the_other(tree, context, *shapes);
  if (need.with(shapes->factor_entries + shapes->contribution_entries) <= room) {
    note("device-parts", shortage(need, graph, room) + "; factors fit, with subtrees in parts",
         context);
    return PlacedShapes{std::move(shapes), std::move(in_parts)};
  }
  return place_on_host(need, graph, shortage(need, graph, room), context);
}

}  // namespace lufact
