// SPDX-License-Identifier: BSD-3-Clause
// What runs came to, as tables. They are made from records alone, so that a command that measures
// prints what `lufact show` makes of its result file.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/pipeline/record.hpp"
#include "core/rates/peaks.hpp"
#include "core/report/tables.hpp"
#include "core/report/workload_facts.hpp"

namespace lufact {

struct TableContext {
  KnownWorkloads workloads;  // of all runs
  std::uint64_t seed = 1;    // of the intervals of speeds
  MachinePeaks peaks{};      // of the machine that the runs were made on
};

// Runs are called by their variant and, where it is not one system, by their amount of work
// (work_amount.hpp): those of one variant with different work are of different ones.

// Runs of the same input, in the order of their first occurrence.
using RunsOfInput = std::vector<RunRecord>;
std::vector<RunsOfInput> by_input(std::span<const RunRecord> runs);

// Of one input: a column for each run that measured something; rows for the median, the quartiles
// and the share of every phase, then rates, then what came out, then the verdict with the codes of
// warnings. Below it why runs are not ok, and who is how many times as fast (speeds.hpp).
Section input_section(std::span<const RunRecord> runs, const TableContext& context);

// Of one variant: a row for each input, a column for every phase and for the rate of its work, and
// geometric means of the times.
Section variant_section(std::span<const RunRecord> runs, const TableContext& context);

// Totals of all inputs, a row each and a column for each variant, then those of refactorizations,
// and geometric means of the speeds. Empty for less than two inputs.
std::vector<Section> summary_sections(std::span<const RunRecord> runs, const TableContext& context);

// All of the above, by input or by variant.
std::vector<Section> sections_by_input(std::span<const RunRecord> runs,
                                       const TableContext& context);
std::vector<Section> sections_by_variant(std::span<const RunRecord> runs,
                                         const TableContext& context);

}  // namespace lufact
