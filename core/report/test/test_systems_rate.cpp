// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/report/systems_rate.hpp"

namespace lufact {
namespace {

Sample sample_of(double numeric_s, double solve_s) {
  Sample sample;
  for (const auto& [name, seconds] : {std::pair("order", 100.0),
                                      {"numeric", numeric_s},
                                      {"numeric/fronts", numeric_s},
                                      {"solve", solve_s}}) {
    sample.phases.emplace_back().name = name;
    sample.phases.back().wall_s = seconds;
  }
  return sample;
}

TEST(SystemsRate, IsThatOfTheMedianRefactorization) {
  RunRecord run;
  run.systems.emplace().count = 12;
  run.samples = {sample_of(1, 2)};
  set_systems_rate(run);
  EXPECT_DOUBLE_EQ(run.systems->systems_per_s.value(), 4);
  run.refactor_samples = {sample_of(1, 1), sample_of(5, 1), sample_of(2, 1)};
  set_systems_rate(run);
  EXPECT_DOUBLE_EQ(run.systems->systems_per_s.value(), 4);
  run.refactor_samples.push_back(sample_of(1, 0));
  set_systems_rate(run);
  EXPECT_DOUBLE_EQ(run.systems->systems_per_s.value(), 12 / 2.5);
}

TEST(SystemsRate, StaysEmptyWithoutSystemsOrSamples) {
  RunRecord run;
  run.samples = {sample_of(1, 1)};
  set_systems_rate(run);
  EXPECT_FALSE(run.systems.has_value());
  run.samples.clear();
  run.systems.emplace().count = 2;
  set_systems_rate(run);
  EXPECT_FALSE(run.systems->systems_per_s.has_value());
}

}  // namespace
}  // namespace lufact
