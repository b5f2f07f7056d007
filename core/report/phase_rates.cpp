// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/phase_rates.hpp"

#include <algorithm>
#include <span>

#include "core/measure/statistics.hpp"
#include "core/report/json_codec.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

// Peaks of the side that computed; empty where they were not measured.
struct SidePeaks {
  std::optional<double> flops_per_s, bytes_per_s;
};

// "double", "float" or a narrower one; empty where the record has none.
std::optional<std::string> arithmetic_of(const RunRecord& run) {
  if (run.dense) return run.dense->arithmetic;
  return run.pipeline ? run.pipeline->precision : std::nullopt;
}

SidePeaks peaks_of(const RunRecord& run, bool on_device, const MachinePeaks& peaks) {
  const std::optional<std::string> arithmetic = arithmetic_of(run);
  SidePeaks side;
  if (on_device && peaks.device) {
    side.bytes_per_s = peaks.device->copy_bytes_per_s;
    if (arithmetic == "double") side.flops_per_s = peaks.device->fp64_flops_per_s;
    if (arithmetic == "float") side.flops_per_s = peaks.device->fp32_flops_per_s;
  } else if (!on_device && peaks.host) {
    side.bytes_per_s = peaks.host->copy_bytes_per_s;
    if (arithmetic == "double") side.flops_per_s = peaks.host->fp64_flops_per_s;
  }
  return side;
}

// Our own stages mark the device in every phase that is theirs.
bool ran_on_device(std::span<const Sample> samples, const std::string& phase) {
  return std::ranges::any_of(samples, [&](const Sample& sample) {
    return std::ranges::any_of(sample.phases, [&](const PhaseTime& time) {
      return time.name == phase && time.gpu_s.has_value();
    });
  });
}

// Median of the bytes that a phase moved between host and device.
std::optional<double> moved_bytes(std::span<const Sample> samples, const std::string& phase) {
  std::vector<double> bytes;
  for (const Sample& sample : samples) {
    for (const PhaseTime& time : sample.phases) {
      if (time.name != phase) continue;
      bytes.push_back(static_cast<double>(time.bytes_h2d + time.bytes_d2h));
    }
  }
  const auto summary = summarize(bytes);
  if (!summary || !(summary->median > 0)) return std::nullopt;
  return summary->median;
}

std::optional<double> quotient(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b || !(*b > 0)) return std::nullopt;
  return *a / *b;
}

void add_batch_work(const RunRecord& run, const MachinePeaks& peaks, PhaseRate& rate) {
  const BatchRecord& batch = *run.batch;
  const SidePeaks side = peaks_of(run, batch.side == "device", peaks);
  if (batch.flops > 0) {
    rate.flops = batch.flops;
    rate.flops_per_s = batch.flops_per_s;
    rate.flops_peak_share = quotient(rate.flops_per_s, side.flops_per_s);
  }
  rate.bytes = batch.useful_bytes;
  rate.bytes_per_s = batch.bytes_per_s;
  rate.bytes_peak_share = quotient(rate.bytes_per_s, side.bytes_per_s);
}

void add_dense_work(const RunRecord& run, const MachinePeaks& peaks, PhaseRate& rate) {
  const DenseRecord& dense = *run.dense;
  const SidePeaks side = peaks_of(run, dense.side == "device", peaks);
  rate.flops = dense.flops;
  rate.flops_per_s = dense.flops_per_s;
  rate.flops_peak_share = quotient(rate.flops_per_s, side.flops_per_s);
}

void add_numeric_work(const RunRecord& run, std::span<const Sample> samples,
                      const MachinePeaks& peaks, PhaseRate& rate) {
  if (run.peer || !run.factors || !run.factors->flops) return;
  rate.flops = *run.factors->flops * (run.systems ? static_cast<double>(run.systems->count) : 1);
  rate.flops_per_s = quotient(rate.flops, rate.median_s);
  const SidePeaks side = peaks_of(run, ran_on_device(samples, rate.phase), peaks);
  rate.flops_peak_share = quotient(rate.flops_per_s, side.flops_per_s);
}

// The phase in which batches and dense matrices do all of their work.
std::string_view phase_of(std::string_view operation) {
  return operation == "solve" ? "solve" : "numeric";
}

void add_work(const RunRecord& run, std::span<const Sample> samples, const MachinePeaks& peaks,
              PhaseRate& rate) {
  if (rate.phase == "transfer") {
    rate.bytes = moved_bytes(samples, rate.phase);
    rate.bytes_per_s = quotient(rate.bytes, rate.median_s);
  } else if (run.batch) {
    if (rate.phase == phase_of(run.batch->operation)) add_batch_work(run, peaks, rate);
  } else if (run.dense) {
    if (rate.phase == phase_of(run.dense->operation)) add_dense_work(run, peaks, rate);
  } else if (rate.phase == "numeric") {
    add_numeric_work(run, samples, peaks, rate);
  }
}

std::vector<PhaseRate> rates_of(const RunRecord& run, std::span<const Sample> samples,
                                const MachinePeaks& peaks) {
  std::vector<PhaseRate> rates;
  std::optional<double> total;
  for (const PhaseSeries& series : top_level_series(samples)) {
    const double median = summarize(series.seconds).value().median;
    if (series.name == "total_s") {
      total = median;
      continue;
    }
    PhaseRate rate{.phase = series.name, .median_s = median};
    if (rate.phase != "verify") rate.share_of_total = quotient(median, total);
    add_work(run, samples, peaks, rate);
    rates.push_back(std::move(rate));
  }
  return rates;
}

}  // namespace

std::vector<PhaseRate> phase_rates(const RunRecord& run, const MachinePeaks& peaks) {
  return rates_of(run, run.samples, peaks);
}

std::vector<PhaseRate> refactor_rates(const RunRecord& run, const MachinePeaks& peaks) {
  return rates_of(run, run.refactor_samples, peaks);
}

PhaseRate rate_of_work(const std::vector<PhaseRate>& rates) {
  const auto works = [](const PhaseRate& rate) {
    return rate.phase != "transfer" && (rate.flops || rate.bytes);
  };
  const auto found = std::ranges::find_if(rates, works);
  return found == rates.end() ? PhaseRate{} : *found;
}

nlohmann::ordered_json rates_json(const std::vector<PhaseRate>& rates) {
  using codec::encode;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const PhaseRate& rate : rates) {
    json[rate.phase] = {{"share_of_total", encode(rate.share_of_total)},
                        {"flops", encode(rate.flops)},
                        {"flops_per_s", encode(rate.flops_per_s)},
                        {"flops_peak_share", encode(rate.flops_peak_share)},
                        {"bytes", encode(rate.bytes)},
                        {"bytes_per_s", encode(rate.bytes_per_s)},
                        {"bytes_peak_share", encode(rate.bytes_peak_share)}};
  }
  return json;
}

}  // namespace lufact
