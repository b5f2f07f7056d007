// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/matrix/pattern.hpp"
#include "gpu/ordering/device_graph.hpp"

namespace lufact::gpu {

struct FormedGraph {
  nd::Graph on_host;
  DeviceGraph on_device;
};

// The graph of A + A' on both sides, with the lists of nd::graph_of(). A structurally symmetric A
// is recognized as there, and both sides form the graph at the same time; for an unsymmetric A the
// device sorts the entries of A and A'. `a` is square with ascending columns and has an entry.
FormedGraph form_graph(DeviceSession& session, const PatternView& a, int threads);

}  // namespace lufact::gpu
