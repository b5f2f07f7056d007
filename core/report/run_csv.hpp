// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/pipeline/record.hpp"
#include "core/rates/peaks.hpp"
#include "core/report/workload_facts.hpp"

namespace lufact {

struct RunsOfFile {
  std::string path;
  std::vector<RunRecord> runs;
  MachinePeaks peaks{};  // of the machine that they were made on
};

// Comma-separated values (RFC 4180): a line of titles, then a line a run, for spreadsheets and data
// frames. Seconds are medians, with quartiles of the totals; what is not known is empty. The
// columns are the same for all files: every phase that one of `workloads` counts has one.
std::string csv_of(std::span<const RunsOfFile> files, const KnownWorkloads& workloads);

}  // namespace lufact
