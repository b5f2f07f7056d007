// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_progress.hpp"

#include <fmt/format.h>

#include "core/measure/statistics.hpp"
#include "core/report/cells.hpp"

namespace lufact {
namespace {

std::string result_of(const RunRecord& run) {
  if (run.outcome != Outcome::ok) {
    return fmt::format("{}{}", to_string(run.outcome),
                       run.error ? fmt::format(" ({})", run.error->code) : "");
  }
  std::vector<double> totals;
  for (const Sample& sample : run.samples) totals.push_back(sample.total_s);
  const auto summary = summarize(totals);
  return summary ? fmt::format("ok, {} a repetition", format_seconds(summary->median)) : "ok";
}

}  // namespace

SweepProgress::SweepProgress(std::size_t total, std::size_t done, bool quiet)
    : total_(total), done_(done), quiet_(quiet) {
  if (!quiet_ && done_ > 0) {
    fmt::print(stderr, "{} of {} runs are done already\n", done_, total_);
  }
}

void SweepProgress::expect(const std::string& variant) {
  ++by_variant_[variant].left;
}

void SweepProgress::finished(const RunRecord& run) {
  Mean& mean = by_variant_[run.sweep->variant];
  mean.seconds += run.sweep->elapsed_s.value_or(0);
  ++mean.runs;
  if (mean.left > 0) --mean.left;
  ++done_;
  if (quiet_) return;
  fmt::print(stderr, "[{}/{}] {} {}: {} ({} in all)", done_, total_, run.sweep->matrix,
             run.sweep->variant, result_of(run), format_duration(run.sweep->elapsed_s.value_or(0)));
  if (done_ < total_) fmt::print(stderr, "; about {} left", format_duration(seconds_left()));
  fmt::print(stderr, "\n");
}

double SweepProgress::seconds_left() const {
  double seconds = 0;
  std::size_t runs = 0;
  for (const auto& [variant, mean] : by_variant_) {
    seconds += mean.seconds;
    runs += mean.runs;
  }
  if (runs == 0) return 0;
  const double overall = seconds / static_cast<double>(runs);
  double left = 0;
  for (const auto& [variant, mean] : by_variant_) {
    const double each = mean.runs > 0 ? mean.seconds / static_cast<double>(mean.runs) : overall;
    left += each * static_cast<double>(mean.left);
  }
  return left;
}

}  // namespace lufact
