// SPDX-License-Identifier: BSD-3-Clause
// What a schema cannot say about a result file.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/workload_facts.hpp"

namespace lufact {

// Contradictions inside a file that has no schema violation (throws nlohmann::json::exception
// otherwise), "runs[0].samples[1]: ..." each:
//   phases   names occur once, a part has its parent, the parts of a phase take no longer than it
//            (1% and 100 us are allowed: parts are timed by the device's clock, phases by the
//            host's; a part by the host's of one by the device's may begin before it)
//   workload is one of `workloads`; its sections are there, those of others are null
//   totals   total_s = the sum of the phases that the workload counts
//   summary  agrees with the samples
//   input    has the name, path and hash of the section `matrix`, where there is one
//   outcome  `ok` has no error and a verification that passed, with backward_error <= threshold
//   where
//            the run went to the solution (`--verify none` is exempt: it warns `unverified`); any
//            other outcome has an error
//   peer     mode `peer` goes with the name of one, which an ok run describes; a step that another
//            one does has no times of its own
//   factors  fill_in and fill_ratio follow from the counts of an exact pattern
//   memory   device_peak_bytes <= budget_bytes
//   profile  lists of one table are equally long, with at most 4096 entries
//   gsofa    edges_per_s and reinitialise_s follow from the samples, by_table2 from n and #C; the
//            array is within its budget, no share and no count above the one that holds it
//   distribution  the slices have all rows and edges; imbalance follows from their times
//   supernodes  count, largest and rows_in_larger follow from the histogram, which has every row
//   batch    count, flops, useful_bytes, rates and copy_fraction follow from sizes and samples
//   sweep    a variant occurs once with each matrix of its sweep
//   comparisons  both ids are runs of the file
std::vector<std::string> consistency_violations(const nlohmann::json& file,
                                                const KnownWorkloads& workloads);

// The same for a single run; `where` starts each message.
std::vector<std::string> run_consistency_violations(const nlohmann::json& run,
                                                    const KnownWorkloads& workloads,
                                                    const std::string& where = "run");

}  // namespace lufact
