// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/gsofa_consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "core/report/record_fields.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using nlohmann::json;

constexpr double rounding = 1e-9;

bool has_section(const json& run, const char* name) {
  return run.contains(name) && !run.at(name).is_null();
}

class GsofaChecker {
 public:
  void gsofa(const json& run) {
    where_ = ".gsofa: ";
    const json& gsofa = run.at("gsofa");
    const json expected = to_json(run_from_json(run)).at("gsofa");
    for (const char* key : {"edges_per_s", "reinitialise_s"}) {
      if (!same_or_null(gsofa.at(key), expected.at(key))) {
        say("{} is {}, by the samples {}", key, gsofa.at(key).dump(), expected.at(key).dump());
      }
    }
    const json& concurrency = gsofa.at("concurrency");
    if (concurrency.at("least").get<Offset>() > concurrency.at("most").get<Offset>()) {
      say("concurrency.least is above concurrency.most");
    }
    if (gsofa.at("dynamic").get<bool>() && !gsofa.at("bubbles").get<bool>()) {
      say("dynamic without bubbles");
    }
    if (gsofa.at("enqueued_again").get<Offset>() > gsofa.at("enqueued").get<Offset>()) {
      say("enqueued_again is above enqueued");
    }
    const json& queue = gsofa.at("queue");
    // What spills is in the mean, and never was in the queue at once.
    if (queue.at("spills") == 0 &&
        queue.at("mean_share").get<double>() > queue.at("peak_share").get<double>()) {
      say("queue.mean_share is above queue.peak_share");
    }
    if (has_section(run, "matrix")) gsofa_bytes(gsofa, run.at("matrix").at("n"));
  }

  // The histogram says the rest.
  void supernodes(const json& run) {
    where_ = ".supernodes: ";
    SupernodeNotes written;
    codec::decode(run.at("supernodes"), written);
    if (written.sizes.size() != written.counts.size()) {
      return say("sizes and counts differ in length");
    }
    if (!std::ranges::is_sorted(written.sizes, std::less_equal{})) {
      say("sizes do not ascend");
    }
    Offset rows = 0, count = 0, alone = 0;
    for (std::size_t k = 0; k < written.sizes.size(); ++k) {
      rows += written.sizes[k] * written.counts[k];
      count += written.counts[k];
      if (written.sizes[k] == 1) alone = written.counts[k];
    }
    const Offset largest = written.sizes.empty() ? 0 : written.sizes.back();
    if (count != written.count) say("count is {}, by the histogram {}", written.count, count);
    if (largest != written.largest || largest > written.max_size) {
      say("largest is {}, by the histogram {}, and at most {}", written.largest, largest,
          written.max_size);
    }
    if (rows - alone != written.rows_in_larger) {
      say("rows_in_larger is {}, by the histogram {}", written.rows_in_larger, rows - alone);
    }
    if (has_section(run, "matrix") && run.at("matrix").at("n") != rows) {
      say("the supernodes have {} rows in all", rows);
    }
    if (has_section(run, "factors") && run.at("factors").at("supernodes") != written.count) {
      say("factors.supernodes is not count");
    }
  }

  // Who did what adds up to the whole.
  void distribution(const json& run) {
    where_ = ".distribution: ";
    DistributionNotes written;
    codec::decode(run.at("distribution"), written);
    const auto devices = static_cast<std::size_t>(Offset{written.nodes} * written.devices_per_node);
    if (written.slices.size() != devices) {
      return say("{} slices of {} devices", written.slices.size(), devices);
    }
    if (!written.ranks.empty() && written.ranks.size() != static_cast<std::size_t>(written.nodes)) {
      say("{} ranks on {} nodes", written.ranks.size(), written.nodes);
    }
    Offset sources = 0, edges = 0;
    double slowest = 0, sum = 0;
    for (const DistributionSlice& slice : written.slices) {
      sources += slice.sources;
      edges += slice.edges_checked;
      slowest = std::max(slowest, slice.search_s);
      sum += slice.search_s;
    }
    if (has_section(run, "matrix") && run.at("matrix").at("n") != sources) {
      say("the slices have {} sources in all", sources);
    }
    if (has_section(run, "gsofa") && run.at("gsofa").at("edges_checked") != edges) {
      say("the slices have looked at {} edges in all", edges);
    }
    if (sum > 0 && !same(written.imbalance, slowest * static_cast<double>(devices) / sum)) {
      say("imbalance is {}, by the slices {}", written.imbalance,
          slowest * static_cast<double>(devices) / sum);
    }
    if (written.simulated != written.simulated_s.has_value()) {
      say("simulated_s is there exactly where slices were simulated");
    }
    if (written.simulated_s.value_or(slowest) < slowest * (1 - rounding)) {
      say("simulated_s is below the slowest slice, {}", slowest);
    }
  }

  std::vector<std::string> take() { return std::move(violations_); }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    violations_.push_back(where_ + fmt::format(format, std::forward<Args>(args)...));
  }

  void gsofa_bytes(const json& gsofa, const json& n) {
    const json& bytes = gsofa.at("bytes");
    std::uint64_t array = 0;
    for (const char* part : {"max_id", "fill", "queues", "trackers"}) {
      array += bytes.at(part).get<std::uint64_t>();
    }
    const auto budget = gsofa.at("budget_bytes").get<std::uint64_t>();
    if (array > budget) say("bytes of the array {} pass the budget of {}", array, budget);
    if (n.is_null()) return;
    const auto table2 =
        24 * n.get<std::uint64_t>() * gsofa.at("concurrency").at("most").get<std::uint64_t>();
    if (bytes.at("by_table2").get<std::uint64_t>() != table2) {
      say("bytes.by_table2 {} is not 24 n #C, {}", bytes.at("by_table2").get<std::uint64_t>(),
          table2);
    }
  }

  static bool same_or_null(const json& a, const json& b) {
    if (a.is_null() || b.is_null()) return a.is_null() == b.is_null();
    return same(a.get<double>(), b.get<double>());
  }
  static bool same(double x, double y) {
    return std::abs(x - y) <= rounding * std::max({std::abs(x), std::abs(y), 1e-3});
  }

  std::string where_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> gsofa_violations(const json& run) {
  GsofaChecker checker;
  if (has_section(run, "gsofa")) checker.gsofa(run);
  if (has_section(run, "supernodes")) checker.supernodes(run);
  if (has_section(run, "distribution")) checker.distribution(run);
  return checker.take();
}

}  // namespace lufact
