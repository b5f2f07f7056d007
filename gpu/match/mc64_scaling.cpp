// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/match/mc64_scaling.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/match/mc64.hpp"
#include "gpu/match/device_matching.hpp"
#include "gpu/match/host_matching.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

constexpr Index least_rows = 2000;  // below, mc64 takes no longer than a launch and its copies

// Who matched: "diagonal" neither; "gpu+host": the host the last rows.
void note_choice(StageContext& context, std::string chosen, std::string reason) {
  context.notes.choices.push_back({.stage = "scaling/matching",
                                   .chosen = std::move(chosen),
                                   .candidates = {"diagonal", "gpu", "gpu+host", "host"},
                                   .reason = std::move(reason)});
}

Matching match_on_host(const CsrMatrix& a, StageContext& context, std::string reason) {
  note_choice(context, "host", std::move(reason));
  const auto phase = context.phases.scope("host");
  return mc64(a, context.options.allow_singular, context.notes.warnings, context.options.threads);
}

// Why the device does not take this matrix, from what is known before; empty where it does.
std::string reason_for_host(const CsrMatrix& a, const DeviceSession& session) {
  const Index n = a.pattern.n_rows;
  if (n < least_rows) return fmt::format("{} rows are fewer than {}", n, least_rows);
  if (n >= most_rows) return fmt::format("{} rows are more than the device numbers", n);
  const std::uint64_t bytes = DeviceMatching::device_bytes(n, a.pattern.nnz());
  if (bytes > session.ledger().available()) {
    return fmt::format("it takes {} bytes of device memory, of which {} are left", bytes,
                       session.ledger().available());
  }
  return {};
}

// Of a matching that the device neither ended nor left to be continued.
std::string reason_for_host(const MatchReport& report, Index n) {
  switch (report.end) {
    case MatchEnd::deficient:
      return fmt::format("the device found the structural rank {} of {}", n - report.free_rows, n);
    case MatchEnd::values_not_finite:
      return "the device met a value that is not finite";
    case MatchEnd::equal_costs:
      return fmt::format("all costs are equal, and bids leave {} rows free",
                         report.free_after_start);
    case MatchEnd::beyond_labels:
      return "a path is longer than the device's labels go";
    case MatchEnd::beyond_duals:
      return "a dual is beyond the device's range";
    default:
      throw std::logic_error("a matching ended in a state of its own");
  }
}

std::string summary(const MatchReport& report) {
  return fmt::format("{} rows free after {}, {} phases of {} rounds", report.free_after_bidding,
                     report.spread != 0 ? "bids with spread duals" : "bids", report.phases,
                     report.rounds);
}

// The rest of a matching, by the same steps.
Matching finish_on_host(const CsrMatrix& a, const DeviceMatching& device, const MatchReport& report,
                        StageContext& context) {
  const auto phase = context.phases.scope("host");
  HostMatching host(a);
  host.finish(device.hand_over(host.arrays()), unlimited_rules());
  const MatchCounters& counters = host.counters();
  if (counters.end != MatchEnd::perfect) {
    MatchReport end = report;
    end.end = counters.end;
    end.free_rows = counters.free_rows;
    return match_on_host(a, context, reason_for_host(end, a.pattern.n_rows));
  }
  note_choice(context, "gpu+host",
              fmt::format("{}, of which {} thin ones, then {} phases of {} rounds on the host",
                          summary(report), report.thin_rounds, counters.phases - report.phases,
                          counters.rounds - report.rounds));
  return host.result(context.notes.warnings);
}

class DeviceMc64Scaling final : public GpuScaling {
 public:
  using GpuScaling::GpuScaling;

  Matching run(const CsrMatrix& a, StageContext& context) const override {
    if (context.device == nullptr) throw std::logic_error("gpu-mc64 needs a device session");
    if (a.pattern.n_rows != a.pattern.n_cols) {
      return match_on_host(a, context, "the matrix is not square");
    }
    if (std::optional<Matching> settled = settle_on_diagonal(a, context.options.threads)) {
      note_choice(context, "diagonal", "symmetric scales prove the diagonal optimal");
      return std::move(*settled);
    }
    if (std::string reason = reason_for_host(a, *context.device); !reason.empty()) {
      return match_on_host(a, context, std::move(reason));
    }
    return match(a, context);
  }

 private:
  static Matching match(const CsrMatrix& a, StageContext& context) {
    std::optional<DeviceMatching> device;
    {
      const auto phase = context.phases.scope("upload");
      device.emplace(*context.device, a);
    }
    MatchReport report;
    {
      const auto phase = context.phases.scope("match");
      report = device->find({});
    }
    if (report.end == MatchEnd::perfect) {
      note_choice(context, "gpu", summary(report));
      const auto phase = context.phases.scope("download");
      return device->result(context.notes.warnings);
    }
    if (report.end == MatchEnd::long_paths) return finish_on_host(a, *device, report, context);
    return match_on_host(a, context, reason_for_host(report, a.pattern.n_rows));
  }
};

}  // namespace

std::unique_ptr<ScalingStage> make_mc64_scaling() {
  return std::make_unique<DeviceMc64Scaling>(mc64_scaling_facts());
}

}  // namespace lufact::gpu
