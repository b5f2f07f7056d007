// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/benchmark_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/measure/statistics.hpp"
#include "core/report/phase_rates.hpp"
#include "core/report/result_file.hpp"
#include "core/report/summary.hpp"
#include "core/report/work_amount.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

Json context_of(const Json& meta) {
  const Json& host = meta.at("host");
  const Json& threads = host.at("threads");
  Json context{
      {"date", meta.at("started_at")},
      {"host_name", host.at("cpu_model").is_null() ? Json("unknown") : host.at("cpu_model")},
      {"executable", "lufact"},
      {"num_cpus", threads.is_null() ? Json(1) : threads},
      {"mhz_per_cpu", 0},  // not known
      {"cpu_scaling_enabled", false},
      {"caches", Json::array()},
      {"load_avg", Json::array()},
      {"library_version", meta.at("lufact").at("version")},
      {"library_build_type", meta.at("build").at("type") == "Debug" ? "debug" : "release"},
      {"json_schema_version", 1},
      {"git_sha", meta.at("lufact").at("git_sha")}};
  const Json& device = meta.at("device");
  if (!device.is_null()) context["device"] = device.at("name");
  return context;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of a sample: 0 of a single value.
double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

class Benchmarks {
 public:
  explicit Benchmarks(const MachinePeaks& peaks) : peaks_(peaks) {}
  void run(const RunRecord& run) {
    const std::string name = fmt::format("{}/{}", run.input.name, work_label(run));
    if (run.outcome != Outcome::ok) return failure(name, run);
    phases(name + "/", run.samples, phase_rates(run, peaks_));
    phases(name + "/refactor/", run.refactor_samples, refactor_rates(run, peaks_));
  }
  Json take() { return std::move(all_); }

 private:
  Json entry(const std::string& run_name, const std::string& name, const char* type,
             std::size_t repetitions) const {
    return {{"name", name},         {"family_index", family_}, {"per_family_instance_index", 0},
            {"run_name", run_name}, {"run_type", type},        {"repetitions", repetitions}};
  }

  static void set_time(Json& entry, double seconds) {
    entry["iterations"] = 1;
    entry["real_time"] = entry["cpu_time"] = 1e3 * seconds;
    entry["time_unit"] = "ms";
  }

  // Counters of the benchmark, of work that is known.
  static void set_counters(Json& entry, const PhaseRate& rate) {
    if (rate.flops_per_s) entry["flops_per_second"] = *rate.flops_per_s;
    if (rate.flops_peak_share) entry["flops_peak_share"] = *rate.flops_peak_share;
    if (rate.bytes_per_s) entry["bytes_per_second"] = *rate.bytes_per_s;
    if (rate.bytes_peak_share) entry["bytes_peak_share"] = *rate.bytes_peak_share;
  }

  void failure(const std::string& name, const RunRecord& run) {
    Json entry = this->entry(name + "/total", name + "/total", "iteration", 1);
    entry["repetition_index"] = 0;
    entry["threads"] = 1;
    entry["error_occurred"] = true;
    entry["error_message"] =
        fmt::format("{}: {}", to_string(run.outcome), run.error ? run.error->message : "");
    set_time(entry, 0);
    all_.push_back(std::move(entry));
    ++family_;
  }

  void phases(const std::string& prefix, std::span<const Sample> samples,
              const std::vector<PhaseRate>& rates) {
    for (const PhaseSeries& series : top_level_series(samples)) {
      const auto rate = std::ranges::find(rates, series.name, &PhaseRate::phase);
      this->series(prefix + (series.name == "total_s" ? "total" : series.name), series.seconds,
                   rate == rates.end() ? PhaseRate{} : *rate);
      ++family_;
    }
  }

  void series(const std::string& name, const std::vector<double>& seconds, const PhaseRate& rate) {
    for (std::size_t k = 0; k < seconds.size(); ++k) {
      Json entry = this->entry(name, name, "iteration", seconds.size());
      entry["repetition_index"] = k;
      entry["threads"] = 1;
      set_time(entry, seconds[k]);
      all_.push_back(std::move(entry));
    }
    aggregate(name, "mean", mean_of(seconds), seconds.size());
    aggregate(name, "median", summarize(seconds).value().median, seconds.size());
    set_counters(all_.back(), rate);
    aggregate(name, "stddev", deviation_of(seconds), seconds.size());
  }

  void aggregate(const std::string& name, const char* which, double seconds,
                 std::size_t repetitions) {
    Json entry = this->entry(name, fmt::format("{}_{}", name, which), "aggregate", repetitions);
    entry["threads"] = 1;
    entry["aggregate_name"] = which;
    entry["aggregate_unit"] = "time";
    set_time(entry, seconds);
    entry["iterations"] = repetitions;
    all_.push_back(std::move(entry));
  }

  const MachinePeaks peaks_;
  int family_ = 0;
  Json all_ = Json::array();
};

}  // namespace

Json benchmark_json(const Json& meta, std::span<const RunRecord> runs) {
  Benchmarks benchmarks(peaks_of_meta(meta));
  for (const RunRecord& run : runs) benchmarks.run(run);
  return {{"context", context_of(meta)}, {"benchmarks", benchmarks.take()}};
}

}  // namespace lufact
