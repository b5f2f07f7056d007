// SPDX-License-Identifier: BSD-3-Clause
// The small fronts of several systems on the device: plan, arrays and launches. Beside the kernels
// of tiles, which take all other fronts of the same systems.
#pragma once
#include <memory>

#include "core/systems/lane_plan.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/systems/lane_kernels.hpp"
#include "gpu/systems/lane_values.hpp"

namespace lufact::gpu {

// A LanePlan on the device.
class DeviceLanePlan {
 public:
  // `graph` and `tree` must outlive it.
  DeviceLanePlan(DeviceSession& session, LanePlan plan, const DeviceTaskGraph& graph,
                 const DeviceFrontTree& tree);

  LaneTasks tasks() const;
  LaneStrides strides() const;
  IndexList entries() const { return {entry_.data(), static_cast<Index>(entry_.size())}; }
  // In the order of their labels.
  IndexList pivots() const { return {pivot_.data(), static_cast<Index>(pivot_.size())}; }
  IndexList other_pivots() const { return {other_.data(), static_cast<Index>(other_.size())}; }
  const LanePlan& host() const { return host_; }
  const DeviceTaskGraph& graph() const { return graph_; }
  const DeviceFrontTree& tree() const { return tree_; }
  Index fronts() const { return static_cast<Index>(host_.front.size()); }

  // Of a system's arrays; what a group of less than 32 systems has too much is not counted.
  std::uint64_t bytes_per_system(std::size_t size_of_value) const;

 private:
  const DeviceTaskGraph& graph_;
  const DeviceFrontTree& tree_;
  LanePlan host_;
  Buffer<LaneFront> front_;
  Buffer<LaneChild> child_;
  Buffer<Index> entry_, pivot_, other_;
};

// `graph` cut into what goes by lanes and the tasks of tiles: two plans on the device. The second
// shares the arrays of `graph` that are the same.
struct DeviceSystemsPlan {
  LanePlan lanes;
  std::shared_ptr<const DeviceTaskGraph> tiles;
};
DeviceSystemsPlan plan_systems(DeviceSession& session,
                               const std::shared_ptr<const DeviceTaskGraph>& graph, Index n);

// The arrays of up to `most` systems. T is float or double.
template <class T>
class DeviceLanes {
 public:
  DeviceLanes(DeviceSession& session, const DeviceLanePlan& plan, Index most);

  // The values of B of `problem.systems` systems, by the entries of the graph.
  void write_values(const EntriesOfSystems<T>& from, Index systems);
  // Part `part` of the graph; false, and no launch, where it has no front by lanes. Of `problem`
  // the members for tiles are set.
  bool eliminate(LaneProblem<T> problem, std::size_t part);

  // What a solve with these fronts reads and writes beside tiles.
  struct Sweep {
    Index systems = 0;
    FrontVectors vectors;
    SystemStrides stride;
    T *contributions = nullptr, *solution = nullptr;  // of tiles, by system
    unsigned* done = nullptr;                         // of tiles, for the sweep with L
  };
  void forward(const Sweep& sweep);
  void backward(const Sweep& sweep);

 private:
  LaneSolveProblem<T> solve_problem(const Sweep& sweep, std::size_t number);
  VectorsOfSystems vectors(const Sweep& sweep) const;
  SystemTickets order(Index fronts, Index systems) const;
  unsigned* words(std::size_t sweep);
  unsigned* tickets();

  DeviceSession& session_;
  const DeviceLanePlan& plan_;
  LaneBlocks blocks_;
  Index groups_;
  Buffer<T> values_, factors_, contributions_, solution_, solve_contributions_;
  // Of fronts for the factorization and for both sweeps, then next tickets of each part and of both
  // sweeps.
  Buffer<unsigned> words_;
};

}  // namespace lufact::gpu
