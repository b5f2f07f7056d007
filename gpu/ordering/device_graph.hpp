// SPDX-License-Identifier: BSD-3-Clause
// Graphs of nested dissection on the device.
#pragma once
#include "core/order/graph/graph.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// nd::Graph as kernels see it. No weights: all are 1.
struct GraphRef {
  Index n = 0;
  const Offset* begin = nullptr;
  const Index* degree = nullptr;
  const Index* adjacent = nullptr;
  const Index* edge_weight = nullptr;
  const Index* weight = nullptr;
};

struct DeviceGraph {
  Index n = 0;
  Offset edges = 0;  // the sum of all degrees
  Buffer<Offset> begin;
  Buffer<Index> degree;
  Buffer<Index> adjacent{}, edge_weight{}, weight{};

  GraphRef ref() const noexcept {
    return {n, begin.data(), degree.data(), adjacent.data(), edge_weight.data(), weight.data()};
  }
};

DeviceGraph upload(DeviceSession& session, const nd::Graph& graph, int threads);
nd::Graph download(DeviceSession& session, const DeviceGraph& graph);

}  // namespace lufact::gpu
