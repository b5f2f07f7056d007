// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/host_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "core/base/processors.hpp"

namespace lufact {
namespace {

constexpr std::array<std::string_view, 6> told_prefixes{"OMP_", "GOMP_",     "KMP_",
                                                        "MKL_", "OPENBLAS_", "BLIS_"};

std::map<std::string, std::string> told_variables() {
  std::map<std::string, std::string> told;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    const auto begins = [&](std::string_view prefix) { return text.starts_with(prefix); };
    if (equals == std::string_view::npos || std::ranges::none_of(told_prefixes, begins)) continue;
    told.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return told;
}

// `list` begins with the number of a processor.
std::optional<std::string> governor_of_first(const std::string& list) {
  const std::string first = list.substr(0, list.find_first_of("-,"));
  std::ifstream file("/sys/devices/system/cpu/cpu" + first + "/cpufreq/scaling_governor");
  std::string governor;
  if (!(file >> governor)) return std::nullopt;
  return governor;
}

}  // namespace

HostState read_host_state(int threads) {
  HostState state;
  state.threads = threads;
  state.processors = usable_processors();
  state.processor_list = usable_processor_list();
  state.quota = processor_quota();
  state.governor = governor_of_first(state.processor_list);
  state.environment = told_variables();
  state.load_before = load_average();
  return state;
}

std::optional<double> load_average() {
  std::ifstream file("/proc/loadavg");
  double load = 0;
  if (!(file >> load)) return std::nullopt;
  return load;
}

}  // namespace lufact
