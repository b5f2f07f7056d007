// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ordering/dissection_ordering.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "core/preprocess/dissection_ordering.hpp"
#include "gpu/ordering/device_division.hpp"
#include "gpu/ordering/graph_formation.hpp"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

// Patterns of fewer entries become a graph on the host before the device would have them.
constexpr Offset least_device_entries = 50'000;

Choice choice_of_place(const DeviceDivision& division, bool formed_on_device) {
  Choice choice{.stage = "ordering/partition",
                .chosen = division.levels.empty() ? "host" : "gpu",
                .candidates = {"gpu", "host"},
                .reason = {}};
  choice.reason =
      division.levels.empty()
          ? fmt::format("a graph of {} vertices is too small for the device", division.on_host)
          : fmt::format("graphs of {} vertices on the device, from {} on the host's threads",
                        fmt::join(division.levels, ", "), division.on_host);
  choice.reason += formed_on_device ? "; A + A' formed on the device" : "; A + A' on the host";
  return choice;
}

class StepsOnDevice final : public nd::DissectionSteps {
 public:
  explicit StepsOnDevice(StageContext& context) : context_(context) {}

  nd::Graph form_graph(const PatternView& a, int threads) override {
    if (a.nnz() < least_device_entries) return nd::graph_of(a, threads);
    FormedGraph graph = gpu::form_graph(*context_.device, a, threads);
    formed_ = std::move(graph.on_device);
    formed_lists_ = graph.on_host.adjacent.begin();
    return std::move(graph.on_host);
  }

  nd::Division divide(const nd::Graph& graph, const nd::DivisionRules& rules, int threads,
                      PhaseRecorder& phases) override {
    const bool formed = formed_lists_ != nullptr;
    // Elimination of low degrees or compression may have made another graph of it.
    if (graph.adjacent.begin() != formed_lists_) formed_ = {};
    DeviceDivision division =
        gpu::divide(*context_.device, graph, std::move(formed_), rules, threads, phases);
    context_.notes.choices.push_back(choice_of_place(division, formed));
    return std::move(division.division);
  }

 private:
  StageContext& context_;
  DeviceGraph formed_;                   // that of formed_lists_
  const Index* formed_lists_ = nullptr;  // of the host's graph
};

class DeviceDissectionOrdering final : public OrderingStage {
 public:
  const StageInfo& info() const noexcept override { return dissection_ordering_info(); }

  Ordering run(const CsrPattern& pa, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("nd-gpu needs a device session");
    StepsOnDevice steps(context);
    DissectedOrder order = order_by_dissection(pa, context, {}, steps);
    context.notes.choices.push_back(std::move(order.choice));
    return std::move(order.ordering);
  }
};

}  // namespace

std::unique_ptr<OrderingStage> make_dissection_ordering() {
  return std::make_unique<DeviceDissectionOrdering>();
}

}  // namespace lufact::gpu
