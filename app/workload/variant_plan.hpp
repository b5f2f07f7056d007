// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/record.hpp"

namespace lufact {

// How often a variant runs, and within which limits.
struct Measuring {
  int warmup = 1, repetitions = 5, refactor = 0;
  // Where one of the two is there, `repetitions` are the fewest, and these the most.
  std::optional<double> min_time_s{}, max_noise_percent{};
  int max_repetitions = 0;
  std::optional<double> timeout_s{};
  std::optional<std::uint64_t> host_memory_limit{};

  bool adapts() const { return min_time_s || max_noise_percent; }
};

// A variant as it is known before any input is opened. A workload derives its own from it.
struct VariantPlan {
  virtual ~VariantPlan() = default;

  RunRecord record;  // workload, mode, variant, until and what is known of the sections
  Measuring measuring;
  std::string unsupported;  // why this machine cannot run it; empty: it can
  std::string unsupported_code = "no_device";
  // What starts its ranks in place of a worker, and how many; empty: a worker.
  std::vector<std::string> launcher;
  int ranks = 0;
  std::string steps;               // what it will do, for a dry run
  nlohmann::ordered_json request;  // what its worker is told beside the input
  bool needs_folder = false;       // for files that outlive a worker which is killed
  // In a repetition of its own each.
  bool counts_page_faults = false, counts_device_memory = false;
  bool counts_sources = false;      // of a search, for the profile
  bool serves_many_inputs = false;  // its worker may open one input after the other
};
using VariantPlans = std::vector<std::unique_ptr<const VariantPlan>>;

}  // namespace lufact
