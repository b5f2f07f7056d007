// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/run_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/measure/statistics.hpp"
#include "core/report/cells.hpp"
#include "core/report/figure_rows.hpp"
#include "core/report/phase_rates.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

std::string csv_field(const std::string& value) {
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string text(1, '"');
  for (const char byte : value) text.append(byte == '"' ? 2 : 1, byte);
  text += '"';
  return text;
}

// The values of a run under their titles, in the same order for every run.
class Fields {
 public:
  void add(const std::string& title, const std::string& value) {
    const std::string_view comma = titles_.empty() ? "" : ",";
    titles_.append(comma).append(title);
    values_.append(comma).append(csv_field(value));
  }
  template <class Number>
  void add(const std::string& title, const std::optional<Number>& value) {
    add(title, value ? fmt::format("{}", *value) : std::string());
  }
  const std::string& titles() const { return titles_; }
  const std::string& values() const { return values_; }

 private:
  std::string titles_, values_;
};

std::optional<SampleSummary> summary_of(std::span<const Sample> samples, std::string_view phase) {
  for (const PhaseSeries& series : top_level_series(samples)) {
    if (series.name == phase) return summarize(series.seconds);
  }
  return std::nullopt;
}

void add_times(const std::string& prefix, std::span<const Sample> samples,
               const std::vector<std::string_view>& phases, Fields& fields) {
  std::optional<double> median, q1, q3;
  if (const auto total = summary_of(samples, "total_s")) {
    median = total->median;
    q1 = total->q1;
    q3 = total->q3;
  }
  fields.add(prefix + "samples", std::optional(samples.size()));
  fields.add(prefix + "total_s", median);
  fields.add(prefix + "total_q1_s", q1);
  fields.add(prefix + "total_q3_s", q3);
  for (const std::string_view phase : phases) {
    const auto summary = summary_of(samples, phase);
    fields.add(fmt::format("{}{}_s", prefix, phase),
               summary ? std::optional(summary->median) : std::nullopt);
  }
}

std::string codes_of(const std::vector<Warning>& warnings) {
  std::string codes;
  for (const Warning& warning : warnings) {
    codes.append(codes.empty() ? "" : " ").append(warning.code);
  }
  return codes;
}

// Of the phase that computed.
void add_rates(const std::string& prefix, const PhaseRate& work, Fields& fields) {
  fields.add(prefix + "flops_per_s", work.flops_per_s);
  fields.add(prefix + "flops_peak_share", work.flops_peak_share);
  fields.add(prefix + "bytes_per_s", work.bytes_per_s);
  fields.add(prefix + "bytes_peak_share", work.bytes_peak_share);
}

std::optional<double> flops_of(const RunRecord& run) {
  if (run.batch) return run.batch->flops;
  if (run.dense) return run.dense->flops;
  return run.factors ? run.factors->flops : std::nullopt;
}

void add_results(const RunRecord& run, const MachinePeaks& peaks, Fields& fields) {
  const FactorsRecord factors = run.factors.value_or(FactorsRecord());
  const VerificationRecord verification = run.verification.value_or(VerificationRecord());
  fields.add("nnz_lu", nnz_of_factors(run));
  fields.add("levels", factors.levels);
  fields.add("flops", flops_of(run));
  add_rates("", rate_of_work(phase_rates(run, peaks)), fields);
  add_rates("refactor_", rate_of_work(refactor_rates(run, peaks)), fields);
  fields.add("device_peak_bytes", run.memory.device_peak_bytes);
  fields.add("host_peak_bytes", run.memory.host_peak_bytes);
  fields.add("backward_error", verification.backward_error);
  fields.add("outcome", std::string(to_string(run.outcome)));
  fields.add("warnings", codes_of(run.warnings));
  fields.add("message", run.error ? run.error->message : std::string());
}

Fields fields_of(const std::string& path, const RunRecord& run, const MachinePeaks& peaks,
                 const std::vector<std::string_view>& phases) {
  Fields fields;
  const bool known = run.matrix && run.matrix->n > 0;
  fields.add("file", path);
  fields.add("input", run.input.name);
  fields.add("n", known ? std::optional(run.matrix->n) : std::nullopt);
  fields.add("nnz", known ? std::optional(run.matrix->nnz) : std::nullopt);
  fields.add("workload", run.workload);
  fields.add("variant", run_label(run));
  fields.add("systems", run.systems ? std::optional(run.systems->count) : std::nullopt);
  add_times("", run.samples, phases, fields);
  add_times("refactor_", run.refactor_samples, phases, fields);
  add_results(run, peaks, fields);
  return fields;
}

std::vector<std::string_view> phases_of(const KnownWorkloads& workloads) {
  std::vector<std::string_view> phases;
  for (const WorkloadFacts& workload : workloads) {
    for (const std::string_view phase : workload.counted_phases) {
      if (std::ranges::find(phases, phase) == phases.end()) phases.push_back(phase);
    }
  }
  return phases;
}

}  // namespace

std::string csv_of(std::span<const RunsOfFile> files, const KnownWorkloads& workloads) {
  const std::vector<std::string_view> phases = phases_of(workloads);
  std::string text = fields_of("", RunRecord(), {}, phases).titles() + "\n";
  for (const RunsOfFile& file : files) {
    for (const RunRecord& run : file.runs) {
      text += fields_of(file.path, run, file.peaks, phases).values() + "\n";
    }
  }
  return text;
}

}  // namespace lufact
