// SPDX-License-Identifier: BSD-3-Clause
// The options that every workload has: how runs are measured and verified, what they may use of the
// machine, and where the result goes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/machine_options.hpp"
#include "app/config/option.hpp"
#include "core/pipeline/options.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

inline constexpr double most_seconds = 1e9;  // clocks count nanoseconds in 64 bits
// Where the noise decides, that of fewer is not to be told.
inline constexpr int fewest_adaptive_repetitions = 5;
inline constexpr int default_max_repetitions = 100;

struct CommonConfig {
  std::vector<std::string> peers;  // see peer_names.hpp
  int warmup = 1, repetitions = 5;
  std::optional<double> min_time_s, max_noise_percent;
  std::optional<int> max_repetitions;
  VerifyLevel verify = VerifyLevel::residual;
  std::optional<double> threshold;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all
  int device = 0;
  std::optional<std::uint64_t> device_memory_limit, host_memory_limit;
  std::optional<double> timeout_s;
  std::optional<std::string> output;
  bool resume = false;
  bool quiet = false;
  bool record_profile = false;
  Precision precision = Precision::float64;

  double effective_threshold() const;  // 1e-12; float factors refined in double 1e-10
  // Whether time or noise decide how many repetitions are taken, and between which numbers.
  bool adapts_repetitions() const { return min_time_s || max_noise_percent; }
  int effective_repetitions() const;
  int effective_max_repetitions() const;
};

// Throws UsageError where options of repetitions contradict each other.
void check_repetitions(const CommonConfig& config);

void visit_options(auto&& option, Is<CommonConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--peer", "peers", runs,
                "Foreign solver(s) to run beside the modes, comma-separated; lufact list has their "
                "variants",
                variant},
         config.peers, PeerNames{});
  option(Option{"--repetitions", "repetitions", measuring,
                "Recorded repetitions; with --min-time or --max-noise the fewest, and 5 at least"},
         config.repetitions, at_least(1, "1 or more"));
  option(Option{"--min-time", "min_time_s", measuring,
                "Repeat until the totals of each run add up to so many seconds"},
         config.min_time_s, above(0, "seconds above 0"));
  option(Option{"--max-noise", "max_noise_percent", measuring,
                "Repeat until the median of each run is known to so many percent "
                "(1.57 interquartile ranges / sqrt(repetitions))"},
         config.max_noise_percent, above(0, "percent above 0"));
  option(Option{"--max-repetitions", "max_repetitions", measuring,
                "Most repetitions of --min-time and --max-noise [100]"},
         config.max_repetitions, at_least(1, "1 or more"));
  option(Option{"--warmup", "warmup", measuring, "Repetitions before those recorded"},
         config.warmup, at_least(0, "0 or more"));
  option(Option{"--verify", "verify", measuring, "The solution, every product too, or nothing"},
         config.verify);
  option(Option{"--threshold", "threshold", measuring,
                "Largest backward error that is ok; a tenth is refined to [1e-12; float 1e-10]"},
         config.threshold, above(0, "above 0"));
  option(Option{"--seed", "seed", measuring, "Of generated values and right-hand sides"},
         config.seed);
  option(Option{"--threads", "threads", machine,
                "OpenMP threads; 0: OMP_NUM_THREADS, or the processors that it may use"},
         config.threads, range_of_threads);
  visit_device(option, config.device);
  option(Option{"--device-memory-limit", "device_memory_limit", machine,
                "Device memory that lufact may use, such as 16GiB; none: all that is free"},
         config.device_memory_limit, ByteSize{});
  option(Option{"--host-memory-limit", "host_memory_limit", machine,
                "Host memory a run may use, such as 8GiB; none: no limit", variant},
         config.host_memory_limit, ByteSize{});
  option(Option{"--timeout", "timeout_s", machine, "Seconds a run may take", variant},
         config.timeout_s, InRange{0, true, "seconds above 0, at most 1e9", most_seconds});
  option(Option{"--output", "output", output,
                "Result file: F.json, F.json.gz or F.json.xz; - for standard output", invocation},
         config.output, FileName{});
  option(Option{"--resume", "resume", output,
                "Go on with what --output holds: matrices whose runs are all there, of this "
                "program, machine and command line, are not run again",
                invocation},
         config.resume);
  option(Option{"--quiet", "quiet", output, "No table, no progress; errors are still told",
                invocation},
         config.quiet);
  option(Option{"--record-profile", "record_profile", output,
                "Put level and frontier profiles into the record", variant},
         config.record_profile);
  option(Option{"--precision", "precision", pipeline, "Of the factors; refinement is in double"},
         config.precision);
}

}  // namespace lufact
