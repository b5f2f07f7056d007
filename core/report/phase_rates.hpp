// SPDX-License-Identifier: BSD-3-Clause
// How quickly the phases of a run worked, as far as their work is known.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/record.hpp"
#include "core/rates/peaks.hpp"

namespace lufact {

// What a phase had to do. Sparse: `numeric` has the flops of the factors, of our own stages alone,
// since a foreign solver has factors of its own. Batches and dense matrices: the phase of the
// operation has the flops (and of batches the useful bytes) of the record, and its seconds are
// those of the device where there is one. All: `transfer` has the bytes that it moved. Nothing else
// is known of work.
struct PhaseRate {
  std::string phase{};                     // top-level
  double median_s = 0;                     // wall
  std::optional<double> share_of_total{};  // of the medians; empty for verify, which is not in it
  std::optional<double> flops{}, flops_per_s{}, flops_peak_share{};
  std::optional<double> bytes{}, bytes_per_s{}, bytes_peak_share{};
};

// Of the samples, a rate for each top-level phase, in the order of their first occurrence. Shares
// of peaks are of those of the side that computed, for the arithmetic of the run; empty where they
// were not measured (narrower ones than float never are), and of `transfer`, since no peak is its.
// Empty without samples.
std::vector<PhaseRate> phase_rates(const RunRecord& run, const MachinePeaks& peaks);
// The same of the refactorizations.
std::vector<PhaseRate> refactor_rates(const RunRecord& run, const MachinePeaks& peaks);

// Of the phase that computed, which has flops or, of a copied batch, bytes; nothing but empty
// values where no work is known.
PhaseRate rate_of_work(const std::vector<PhaseRate>& rates);

// {PHASE: {share_of_total, flops, flops_per_s, flops_peak_share, bytes, bytes_per_s,
//          bytes_peak_share}, ...}, null where empty.
nlohmann::ordered_json rates_json(const std::vector<PhaseRate>& rates);

}  // namespace lufact
