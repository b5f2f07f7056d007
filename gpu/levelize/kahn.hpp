// SPDX-License-Identifier: BSD-3-Clause
// Device data of Kahn's topological sort.
#pragma once
#include "gpu/levelize/dependency_graph.hpp"

namespace lufact::gpu {

// Columns in the order in which their last dependency was met; levels lie one behind the other.
struct QueueRef {
  Index* columns = nullptr;
  Index* length = nullptr;
  Index* level_of = nullptr;
};

// Plain data, passed to kernels. unmet[t] counts the edges into column t that are not removed yet.
struct KahnRef {
  GraphRef graph;
  Index* unmet = nullptr;
  QueueRef queue;
};

class KahnSort {
 public:
  // Builds the graph and an empty queue, in scratch; levels will go to level_of.
  KahnSort(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule,
           Buffer<Index>& level_of);

  KahnRef view() noexcept;
  // Columns queued so far: one control read.
  Index read_length();
  // Throws std::logic_error unless every column was queued.
  void require_complete();

 private:
  DeviceSession& session_;
  Index n_;
  DependencyGraph graph_;
  Buffer<Index> columns_, length_;
  Index* level_of_;
};

}  // namespace lufact::gpu
