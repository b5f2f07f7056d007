// SPDX-License-Identifier: BSD-3-Clause
// The plan of several systems on the device: what they share.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/pipeline/systems.hpp"
#include "gpu/fronts/numeric/task_records.hpp"
#include "gpu/matrix/new_values.hpp"
#include "gpu/solve/row_labels.hpp"
#include "gpu/systems/device_lanes.hpp"

namespace lufact::gpu {

// The plan, on the device: what all systems share.
class SharedPlan {
  std::shared_ptr<const DeviceTaskGraph> tiles_;

 public:
  SharedPlan(const AnalysedPattern& pattern, DeviceSession& session)
      : SharedPlan(pattern, session,
                   {{}, std::static_pointer_cast<const DeviceTaskGraph>(pattern.schedule)}) {}
  // With the small fronts by lanes, where there are some.
  static std::unique_ptr<SharedPlan> with_lanes(const AnalysedPattern& pattern,
                                                DeviceSession& session) {
    const auto& tree = product_cast<DeviceFrontTree>(*pattern.symbolic);
    const auto graph = std::static_pointer_cast<const DeviceTaskGraph>(pattern.schedule);
    DeviceSystemsPlan plan = plan_systems(session, graph, tree.n);
    return std::unique_ptr<SharedPlan>(new SharedPlan(pattern, session, std::move(plan)));
  }

  FrontPlan factorization() const {
    return {graph.shape.data(),
            graph.child.data(),
            records.data(),
            graph.factorization.ticket.data(),
            graph.block.data(),
            graph.entry_source.data(),
            graph.entry_place.data(),
            tree.parent_row.data(),
            graph.factorization.tickets};
  }
  FrontPlan solve() const {
    FrontPlan plan;
    plan.shape = graph.shape.data();
    plan.record = solve_records.data();
    plan.ticket = graph.solve.ticket.data();
    plan.tickets = graph.solve.tickets;
    plan.block = graph.block.data();
    plan.parent_row = tree.parent_row.data();
    return plan;
  }
  // Tickets that a system draws in a launch, at most.
  Offset most_tickets() const {
    const Offset tiles =
        std::max<Offset>(graph.factorization.tickets, 2 * Offset{graph.solve.tickets});
    return lanes ? std::max<Offset>(tiles, lanes->fronts()) : tiles;
  }

  const DevicePermutedMatrix& matrix;
  const DeviceFrontTree& tree;
  const DeviceTaskGraph& graph;  // of the fronts that do not go by lanes
  std::optional<DeviceLanePlan> lanes;
  EntrySources source;
  DeviceRowLabels rows, columns;
  Buffer<TaskRecord> records, solve_records;
  Buffer<double> entry_scale;
  Buffer<unsigned> tickets;  // of each part of the factorization, then of the solve

 private:
  SharedPlan(const AnalysedPattern& pattern, DeviceSession& session, DeviceSystemsPlan plan)
      : tiles_(std::move(plan.tiles)),
        matrix(product_cast<DevicePermutedMatrix>(*pattern.matrix)),
        tree(product_cast<DeviceFrontTree>(*pattern.symbolic)),
        graph(*tiles_),
        source(upload_sources(session, pattern.host_matrix->source,
                              pattern.host_matrix->pattern.nnz())),
        rows(session, pattern.host_matrix->rows.old_of_new()),
        columns(session, pattern.host_matrix->cols.old_of_new()),
        records(session, MemoryRole::resident, graph.factorization.task.size(), "records of tasks"),
        solve_records(session, MemoryRole::resident, graph.solve.task.size(),
                      "records of the solves"),
        entry_scale(session, MemoryRole::resident, graph.entry_source.size(), "scales of entries"),
        tickets(session, MemoryRole::resident, static_cast<Offset>(graph.part_end.size()) + 1,
                "next tickets") {
    make_records(session, graph.factorization, graph, records.data());
    make_records(session, graph.solve, graph, solve_records.data());
    make_entry_scales(session, matrix, graph, entry_scale.data());
    if (!plan.lanes.front.empty()) lanes.emplace(session, std::move(plan.lanes), graph, tree);
  }
};

}  // namespace lufact::gpu
