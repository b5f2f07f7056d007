// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/systems/device_lanes.hpp"

namespace lufact::gpu {
namespace {

template <class T>
Buffer<T> resident_copy(DeviceSession& session, const std::vector<T>& from, std::string_view what) {
  return upload_copy(session, MemoryRole::resident, std::span<const T>(from), what);
}
template <class T>
Buffer<T> resident_array(DeviceSession& session, Offset entries, std::string_view what) {
  return {session, MemoryRole::resident, entries, what};
}

// Positions in the order of the labels there, so that neighbouring threads find neighbouring
// entries of vectors by label.
std::vector<Index> by_label(const std::vector<Index>& positions, const std::vector<Index>& label) {
  std::vector<Index> at_label(label.size(), -1), ordered;
  for (const Index position : positions) at_label[at(label[at(position)])] = position;
  ordered.reserve(positions.size());
  std::ranges::copy_if(at_label, std::back_inserter(ordered), [](Index k) { return k >= 0; });
  return ordered;
}

// An array of `graph` that others use as well.
template <class T>
Buffer<T> shared_view(DeviceSession& session, const std::shared_ptr<const DeviceTaskGraph>& graph,
                      const Buffer<T>& array) {
  const std::shared_ptr<void> keeper = std::const_pointer_cast<DeviceTaskGraph>(graph);
  return {session, keeper, const_cast<T*>(array.data()), array.size()};
}

// The part of a graph that is cut.
TaskGraph tasks_of(const DeviceTaskGraph& device) {
  TaskGraph graph;
  graph.shape = device.host_shape;
  graph.child = device.child.download();
  graph.factorization = {device.factorization.task.download(),
                         device.factorization.ticket.download()};
  graph.solve = {device.solve.task.download(), device.solve.ticket.download()};
  graph.part_end = device.part_end;
  graph.factor_entries = device.factor_entries;
  graph.contribution_entries = device.contribution_entries;
  graph.flags = device.flags;
  return graph;
}

DeviceOrderedTasks upload_tasks(DeviceSession& session, const OrderedTasks& tasks) {
  return {resident_copy(session, tasks.task, "tasks of tiles"),
          resident_copy(session, tasks.ticket, "tickets of tiles"), tasks.tickets()};
}

}  // namespace

DeviceSystemsPlan plan_systems(DeviceSession& session,
                               const std::shared_ptr<const DeviceTaskGraph>& graph, Index n) {
  SystemsPlan plan = lufact::plan_systems(tasks_of(*graph), n);
  auto tiles = std::make_shared<DeviceTaskGraph>();
  tiles->shape = resident_copy(session, plan.tiles.shape, "the shapes of fronts of tiles");
  tiles->host_shape = std::move(plan.tiles.shape);
  tiles->factorization = upload_tasks(session, plan.tiles.factorization);
  tiles->solve = upload_tasks(session, plan.tiles.solve);
  tiles->part_end = std::move(plan.tiles.part_end);
  tiles->child = shared_view(session, graph, graph->child);
  tiles->block = shared_view(session, graph, graph->block);
  tiles->entry_source = shared_view(session, graph, graph->entry_source);
  tiles->entry_place = shared_view(session, graph, graph->entry_place);
  tiles->factor_entries = plan.tiles.factor_entries;
  tiles->contribution_entries = graph->contribution_entries;
  tiles->flags = graph->flags;
  tiles->fronts = graph->fronts;
  return {std::move(plan.lanes), std::move(tiles)};
}

DeviceLanePlan::DeviceLanePlan(DeviceSession& session, LanePlan plan, const DeviceTaskGraph& graph,
                               const DeviceFrontTree& tree)
    : graph_(graph),
      tree_(tree),
      host_(std::move(plan)),
      front_(resident_copy(session, host_.front, "fronts by lanes")),
      child_(resident_copy(session, host_.child, "children of fronts by lanes")),
      entry_(resident_copy(session, host_.entry, "entries of fronts by lanes")),
      pivot_(resident_copy(session, by_label(host_.pivot, tree.label.download()),
                           "pivots of fronts by lanes")),
      other_(resident_copy(session, host_.other, "pivots of tiles")) {}

LaneTasks DeviceLanePlan::tasks() const {
  return {front_.data(),           child_.data(),    graph_.entry_place.data(),
          tree_.parent_row.data(), tree_.row.data(), fronts()};
}

LaneStrides DeviceLanePlan::strides() const {
  return {entry_.size(), host_.factor_entries, host_.contribution_entries, tree_.row.size(),
          tree_.n};
}

std::uint64_t DeviceLanePlan::bytes_per_system(std::size_t size_of_value) const {
  const LaneStrides stride = strides();
  const Offset values = stride.entries + stride.factors + stride.contributions +
                        stride.solve_contributions + stride.n;
  return checked_bytes(values, size_of_value) +
         checked_bytes(ceil_div(3 * Offset{fronts()}, lanes), sizeof(unsigned));
}

template <class T>
DeviceLanes<T>::DeviceLanes(DeviceSession& session, const DeviceLanePlan& plan, Index most)
    : session_(session),
      plan_(plan),
      blocks_(resident_lane_blocks<T>(session)),
      groups_(static_cast<Index>(ceil_div(most, lanes))) {
  const LaneStrides stride = plan.strides();
  const auto make = [&](Offset entries, std::string_view what) {
    return resident_array<T>(session, entries * groups_ * lanes, what);
  };
  values_ = make(stride.entries, "values of B by lanes");
  factors_ = make(stride.factors, "factors by lanes");
  contributions_ = make(stride.contributions, "contribution blocks by lanes");
  solution_ = make(stride.n, "solutions by lanes");
  solve_contributions_ = make(stride.solve_contributions, "contributions of solves by lanes");
  const auto tickets = static_cast<Offset>(plan.host().part_end.size()) + 2;
  words_ = resident_array<unsigned>(session, 3 * Offset{plan.fronts()} * groups_ + tickets,
                                    "words of fronts by lanes and next tickets");
}

template <class T>
unsigned* DeviceLanes<T>::words(std::size_t sweep) {
  return words_.data() + static_cast<Offset>(sweep) * plan_.fronts() * groups_;
}
template <class T>
unsigned* DeviceLanes<T>::tickets() {
  return words(3);
}

template <class T>
SystemTickets DeviceLanes<T>::order(Index fronts, Index systems) const {
  return order_systems(fronts, static_cast<Index>(ceil_div(systems, lanes)));
}

template <class T>
void DeviceLanes<T>::write_values(const EntriesOfSystems<T>& from, Index systems) {
  words_.fill_bytes(0);
  interleave_entries(session_, from, systems, values_.data());
}

template <class T>
bool DeviceLanes<T>::eliminate(LaneProblem<T> problem, std::size_t part) {
  const std::vector<Index>& end = plan_.host().part_end;
  problem.first = part == 0 ? 0 : end[part - 1];
  if (end[part] == problem.first) return false;
  problem.plan = plan_.tasks();
  problem.stride = plan_.strides();
  problem.order = order(end[part] - problem.first, problem.systems);
  problem.next_ticket = tickets() + part;
  problem.done = words(0);
  problem.values = values_.data();
  problem.factors = factors_.data();
  problem.contributions = contributions_.data();
  eliminate_by_lanes(session_, problem, blocks_.factorization);
  return true;
}

template <class T>
LaneSolveProblem<T> DeviceLanes<T>::solve_problem(const Sweep& sweep, std::size_t number) {
  LaneSolveProblem<T> problem;
  problem.plan = plan_.tasks();
  problem.stride = plan_.strides();
  problem.order = order(plan_.fronts(), sweep.systems);
  problem.next_ticket = tickets() + plan_.host().part_end.size() + number;
  problem.done = words(1 + number);
  problem.factors = factors_.data();
  problem.solution = solution_.data();
  problem.contributions = solve_contributions_.data();
  problem.systems = sweep.systems;
  problem.system_stride = sweep.stride;
  problem.system_contributions = sweep.contributions;
  problem.system_done = sweep.done;
  return problem;
}

template <class T>
VectorsOfSystems DeviceLanes<T>::vectors(const Sweep& sweep) const {
  return {plan_.pivots(), plan_.tree().label.data(), sweep.vectors, plan_.tree().n};
}

template <class T>
void DeviceLanes<T>::forward(const Sweep& sweep) {
  const Offset behind = words_.size() - Offset{plan_.fronts()} * groups_;  // the factorization
  LUFACT_CUDA(
      cudaMemsetAsync(words(1), 0, checked_bytes(behind, sizeof(unsigned)), session_.stream()));
  interleave_right_hand_sides(session_, vectors(sweep), sweep.systems, solution_.data());
  solve_forward_by_lanes(session_, solve_problem(sweep, 0), blocks_.forward);
}

template <class T>
void DeviceLanes<T>::backward(const Sweep& sweep) {
  interleave_solutions<T>(session_, plan_.other_pivots(), plan_.tree().n, sweep.solution,
                          sweep.systems, solution_.data());
  solve_backward_by_lanes(session_, solve_problem(sweep, 1), blocks_.backward);
  write_solutions<T>(session_, solution_.data(), sweep.systems, vectors(sweep));
}

template class DeviceLanes<float>;
template class DeviceLanes<double>;

}  // namespace lufact::gpu
