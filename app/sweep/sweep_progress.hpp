// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

// A line on standard error for each run of a sweep that has ended, with an estimate of the time
// left: the mean time of this invocation's runs, of the same variant where it has one.
class SweepProgress {
 public:
  // `done` of the `total` runs need not be done again.
  SweepProgress(std::size_t total, std::size_t done, bool quiet);

  // A run that is still to come. All are announced before the first has ended.
  void expect(const std::string& variant);
  void finished(const RunRecord& run);
  // Seconds that the runs still to come will take; 0 before the first has ended.
  double seconds_left() const;

 private:
  struct Mean {
    double seconds = 0;
    std::size_t runs = 0, left = 0;
  };
  std::size_t total_, done_;
  bool quiet_;
  std::map<std::string, Mean> by_variant_;
};

}  // namespace lufact
