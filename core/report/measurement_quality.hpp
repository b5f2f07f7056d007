// SPDX-License-Identifier: BSD-3-Clause
// Whether the times of a run are worth believing: figures that follow from its samples, and
// warnings.
#pragma once
#include "core/pipeline/record.hpp"

namespace lufact {

// From here on a run warns.
namespace quality_limits {
inline constexpr double foreign_processors = 0.5;  // of ours, that others kept busy
inline constexpr double elsewhere = 1;             // processors that others kept busy, not ours
inline constexpr double taken_share = 0.02;        // of processors' time stolen; of time throttled
inline constexpr double waited_share = 0.05;       // of its own demand
inline constexpr double spread = 0.1;              // quartiles of the total over its median
// Foreign and stolen time is counted in ticks of 4 to 10 ms, and a tick counts for whoever runs
// when it comes: on a quiet host of 16 processors it gave others up to 3.6 of them in repetitions
// of 0.3 s together, and 1.5 in 0.5 s (results/h200/turns). Shorter measurements do not tell.
inline constexpr double fewest_seconds_of_ticks = 1;
inline constexpr double fewest_seconds_watched = 0.2;  // of clocks of processes
}  // namespace quality_limits

// Sets the figures of `host_state` by what the samples saw of the host, and spread and noise of
// `sampling` by the totals of the repetitions; of sections that are there.
void set_quality_figures(RunRecord& run);

// Adds `host_busy` where what may run on our processors, or who gives them, took time from the run;
// `host_shared` where others kept processors busy that the run may not use; `noisy` where the
// totals of repetitions or of refactorizations are far apart, and `outliers` where single ones are
// far above the others. By the figures.
void add_quality_warnings(RunRecord& run);

}  // namespace lufact
