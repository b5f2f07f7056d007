// SPDX-License-Identifier: BSD-3-Clause
// What a process was given of the host, and how busy that was.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lufact {

// Empty: the system does not tell.
struct HostState {
  int threads = 0;                      // of the teams of OpenMP
  int processors = 0;                   // that the process may use
  std::string processor_list;           // of its affinity: "0-3,8"
  std::optional<double> quota;          // processors' worth of time that its control group allows
  std::optional<std::string> governor;  // of the first of its processors
  std::map<std::string, std::string> environment;  // variables of OpenMP and of BLAS libraries
  std::optional<double> load_before, load_after;  // average of a minute, when opened and at the end
  // Figures over all repetitions and refactorizations that were recorded: processors' worth of time
  // that others had of its processors; shares of the processors' time stolen, of its own demand
  // waited for, and of the elapsed time throttled.
  std::optional<double> foreign_processors, stolen_share, waited_share, throttled_share;
  std::int64_t involuntary_switches = 0;
  // From the opening of the input to the run's end, the turns of others included: the time, and
  // processors' worth of it that processes which are not ours had, by their own clocks: those that
  // may run on our processors, and those that may not (not known in records of earlier programs,
  // which counted all in the former).
  std::optional<double> watched_s, other_processors, other_processors_elsewhere;
};

// Everything but the figures and `load_after`.
HostState read_host_state(int threads);

// The first number of /proc/loadavg.
std::optional<double> load_average();

}  // namespace lufact
