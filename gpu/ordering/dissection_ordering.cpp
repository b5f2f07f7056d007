// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ordering/dissection_ordering.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "gpu/ordering/device_partition_with_separator.hpp"
#include "gpu/ordering/graph_formation.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

Choice choice_of_place(const DevicePartitionWithSeparator& cut, bool formed_on_device,
                       const OrderThresholds& thresholds) {
  Choice choice{.stage = "ordering/partition",
                .chosen = cut.levels.empty() ? "host" : "gpu",
                .candidates = {"gpu", "host"},
                .reason = {}};
  choice.reason =
      cut.levels.empty()
          ? fmt::format("a graph of {} vertices is too small for the device", cut.on_host)
          : fmt::format("graphs of {} vertices on the device, from {} on the host's threads",
                        fmt::join(cut.levels, ", "), cut.on_host);
  choice.reason += formed_on_device ? "; A + A' formed on the device" : "; A + A' on the host";
  if (!cut.levels.empty() && cut.separator_on_host) {
    choice.reason += fmt::format(
        "; the separator on the host, since lists of more than {} edges "
        "hold up the device",
        static_cast<Index>(thresholds.device_list_edges));
  }
  return choice;
}

class StepsOnDevice final : public PlacedSteps {
 public:
  explicit StepsOnDevice(StageContext& context) : context_(context) {}

  nd::Graph form_graph(const PatternView& a, int threads) override {
    if (static_cast<double>(a.nnz()) < thresholds().device_entries) {
      return nd::graph_of(a, threads);
    }
    FormedGraph graph = gpu::form_graph(*context_.device, a, threads);
    formed_ = std::move(graph.on_device);
    formed_lists_ = graph.on_host.adjacent.begin();
    return std::move(graph.on_host);
  }

  nd::PartitionWithSeparator partition_with_separator(const nd::Graph& graph,
                                                      const nd::PartitionRules& rules, int threads,
                                                      PhaseRecorder& phases) override {
    const bool formed = formed_lists_ != nullptr;
    // Reduction of low degrees or compression may have replaced the graph.
    if (graph.adjacent.begin() != formed_lists_) formed_ = {};
    DevicePartitionWithSeparator cut = gpu::partition_with_separator(
        *context_.device, graph, std::move(formed_), rules, threads, phases, thresholds());
    choices_.push_back(choice_of_place(cut, formed, thresholds()));
    return std::move(cut.cut);
  }

  std::vector<Choice> take_choices() override { return std::exchange(choices_, {}); }

 private:
  const OrderThresholds& thresholds() const { return context_.options.rates.order_thresholds; }

  StageContext& context_;
  std::vector<Choice> choices_;
  DeviceGraph formed_;                   // that of formed_lists_
  const Index* formed_lists_ = nullptr;  // of the host's graph
};

class DeviceDissectionOrdering final : public GpuOrdering {
 public:
  using GpuOrdering::GpuOrdering;

  Ordering run(const CsrPattern& pa, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("nd-gpu needs a device session");
    StepsOnDevice steps(context);
    DissectedOrder order = order_by_dissection(pa, context, {}, steps);
    std::ranges::move(order.choices, std::back_inserter(context.notes.choices));
    return std::move(order.ordering);
  }
};

}  // namespace

std::unique_ptr<PlacedSteps> make_quicker_steps(const CsrPattern& pa, StageContext& context) {
  const double least_rows = context.options.rates.order_thresholds.device_rows;
  if (context.device == nullptr || pa.n_rows < least_rows) return nullptr;
  // A finest graph of 2 nnz edges with its coarse one and the tables between them, rounded up.
  constexpr std::uint64_t bytes_per_edge = 128;
  const auto edges = static_cast<std::uint64_t>(2 * pa.nnz() + pa.n_rows);
  if (edges * bytes_per_edge > context.device->ledger().available()) return nullptr;
  return std::make_unique<StepsOnDevice>(context);
}

std::unique_ptr<OrderingStage> make_dissection_ordering() {
  return std::make_unique<DeviceDissectionOrdering>(dissection_ordering_facts());
}

}  // namespace lufact::gpu
