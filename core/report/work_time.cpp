// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/work_time.hpp"

#include <vector>

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

struct WorkTime {
  double wall_s = 0;
  std::optional<double> gpu_s;
};

// In the phases that do the work; empty where a sample has none of them.
std::optional<WorkTime> work_time(const Sample& sample) {
  std::optional<WorkTime> time;
  for (const PhaseTime& phase : sample.phases) {
    if (phase.name != "numeric" && phase.name != "solve") continue;
    if (!time) time.emplace();
    time->wall_s += phase.wall_s;
    if (phase.gpu_s) time->gpu_s = time->gpu_s.value_or(0) + *phase.gpu_s;
  }
  return time;
}

}  // namespace

std::optional<MedianTime> median_work_time(const RunRecord& run) {
  std::vector<double> wall, gpu;
  for (const Sample& sample : run.samples) {
    const std::optional<WorkTime> time = work_time(sample);
    if (!time) continue;
    wall.push_back(time->wall_s);
    if (time->gpu_s) gpu.push_back(*time->gpu_s);
  }
  const bool of_device = !gpu.empty() && gpu.size() == wall.size();
  const auto summary = summarize(of_device ? gpu : wall);
  if (!summary || !(summary->median > 0)) return std::nullopt;
  return MedianTime{summary->median, of_device};
}

}  // namespace lufact
