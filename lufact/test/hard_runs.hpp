// SPDX-License-Identifier: BSD-3-Clause
// One test body over lines of stages: hard matrices are solved, by runs that are planned again
// where they must be, with the same bits in every run.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/pipeline/catalogue.hpp"
#include "core/run/pipeline_run.hpp"
#include "lufact/catalogue.hpp"
#include "lufact/test/hard_matrices.hpp"

namespace lufact::test {

// A mode, and what is taken in place of its stages.
struct Line {
  std::string name, mode;
  bool on_device = false;
  bool fronts_on_device = false;  // no choice between host and device
};

// What came of a run.
struct HardRun {
  RunRecord record;
  std::vector<double> solution;
};

class HardRuns : public testing::TestWithParam<Line> {
 protected:
  // Skips where the line needs a device and there is none.
  void SetUp() override;

  StageSelection stages(const std::string& scaling, const std::string& ordering) const;
  HardRun run(const CsrMatrix& a, const StageSelection& selection, int most_replans = 8,
              int refactorizations = 0);

  const Catalogue catalogue_ = make_catalogue();

 private:
  std::shared_ptr<DeviceSession> session_;
};

inline std::string line_name(const testing::TestParamInfo<Line>& line) {
  return line.param.name;
}

}  // namespace lufact::test
