// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ordering/dissection_ordering.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "core/preprocess/dissection_ordering.hpp"
#include "gpu/ordering/device_division.hpp"
#include "gpu/stage_infos.hpp"

namespace lufact::gpu {
namespace {

Choice choice_of_place(const DeviceDivision& division) {
  Choice choice{.stage = "ordering/partition",
                .chosen = division.levels.empty() ? "host" : "gpu",
                .candidates = {"gpu", "host"},
                .reason = {}};
  choice.reason =
      division.levels.empty()
          ? fmt::format("a graph of {} vertices is too small for the device", division.on_host)
          : fmt::format("graphs of {} vertices on the device, from {} on the host's threads",
                        fmt::join(division.levels, ", "), division.on_host);
  return choice;
}

class StepsOnDevice final : public nd::DissectionSteps {
 public:
  explicit StepsOnDevice(StageContext& context) : context_(context) {}

  nd::Division divide(const nd::Graph& graph, const nd::DivisionRules& rules, int threads,
                      PhaseRecorder& phases) override {
    DeviceDivision division = gpu::divide(*context_.device, graph, rules, threads, phases);
    context_.notes.choices.push_back(choice_of_place(division));
    return std::move(division.division);
  }

 private:
  StageContext& context_;
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
