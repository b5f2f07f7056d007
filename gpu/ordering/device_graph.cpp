// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ordering/device_graph.hpp"

#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

template <class T>
Buffer<T> upload(DeviceSession& session, const nd::Buffer<T>& from, std::string_view what) {
  return upload_copy(session, MemoryRole::scratch,
                     std::span<const T>(from.begin(), static_cast<std::size_t>(from.size())), what);
}

template <class T>
nd::Buffer<T> download(DeviceSession& session, const Buffer<T>& from) {
  nd::Buffer<T> to(from.size());
  if (from.size() > 0) session.copy_to_host(to.begin(), from.data(), from.bytes());
  return to;
}

}  // namespace

DeviceGraph upload(DeviceSession& session, const nd::Graph& graph, int threads) {
  return {.n = graph.n,
          .edges = nd::total_degree(graph, threads),
          .begin = upload(session, graph.begin, "the lists of the graph of A + A'"),
          .degree = upload(session, graph.degree, "the degrees of the graph of A + A'"),
          .adjacent = upload(session, graph.adjacent, "the edges of the graph of A + A'"),
          .edge_weight = upload(session, graph.edge_weight, "the weights of edges"),
          .weight = upload(session, graph.weight, "the weights of vertices")};
}

nd::Graph download(DeviceSession& session, const DeviceGraph& graph) {
  return {.n = graph.n,
          .begin = download(session, graph.begin),
          .degree = download(session, graph.degree),
          .adjacent = download(session, graph.adjacent),
          .edge_weight = download(session, graph.edge_weight),
          .weight = download(session, graph.weight)};
}

}  // namespace lufact::gpu
