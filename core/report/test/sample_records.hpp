// SPDX-License-Identifier: BSD-3-Clause
// Records for the tests of this module.
#pragma once
#include "core/report/result_file.hpp"

namespace lufact::test {

// A run in which every member is set and which is consistent: 5 samples, 2 refactorizations.
RunRecord full_run();
// A sparse run of which nothing is known: every section is there.
RunRecord empty_run();
// What is left of a run whose file could not be read.
RunRecord failed_run();
// Only what every run must have.
RunRecord minimal_run();
// The full run in another mode with its own id, times multiplied by `factor`.
RunRecord scaled_run(const std::string& id, const std::string& mode, double factor);
// The same of a foreign solver, which levelizes nothing.
RunRecord peer_run(const std::string& id, double factor);
// A batch of 1000 matrices of order 8 on a device, with its figures; all times times `factor`.
RunRecord batch_run(const std::string& id, const std::string& variant, double factor);
// A file with these runs, their comparisons, and a device.
ResultFile file_of(std::vector<RunRecord> runs);

}  // namespace lufact::test
