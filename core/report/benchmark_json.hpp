// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nlohmann/json.hpp>
#include <span>

#include "core/pipeline/record.hpp"

namespace lufact {

// Runs in the form of Google Benchmark's `--benchmark_out_format=json` (schema version 1), which
// compare.py and services for continuous benchmarking read. `meta` is that of a result file.
// A benchmark is called INPUT/VARIANT/PHASE, or INPUT/VARIANT/refactor/PHASE, PHASE being "total"
// or a top-level phase; there is an entry for each repetition and the aggregates median, mean and
// stddev. Times are wall milliseconds; cpu_time, which readers ask for and lufact does not measure,
// is the same. The median of a phase whose work is known has the counters flops_per_second and
// bytes_per_second, with flops_peak_share and bytes_peak_share where the file has peaks. A run that
// is not ok has one entry, with error_occurred and error_message.
nlohmann::ordered_json benchmark_json(const nlohmann::ordered_json& meta,
                                      std::span<const RunRecord> runs);

}  // namespace lufact
