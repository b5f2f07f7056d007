// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/batch_figures.hpp"
#include "core/report/consistency.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<RunRecord> turns_with_copy() {
  std::vector<RunRecord> runs{test::batch_run("1", "copy", 1), test::batch_run("2", "fast", 2),
                              test::batch_run("3", "cpu", 2)};
  for (Sample& sample : runs[2].samples) sample.phases[0].gpu_s.reset();
  set_batch_figures(runs[2]);
  set_copy_fractions(runs);
  return runs;
}

TEST(BatchFigures, FollowFromSizesAndTimesOnTheDevice) {
  const std::vector<RunRecord> runs = turns_with_copy();
  const BatchRecord& fast = *runs[1].batch;
  EXPECT_DOUBLE_EQ(fast.flops, 1000 * (2 * 512 / 3.0 - 32 + 40 / 6.0));
  EXPECT_DOUBLE_EQ(fast.useful_bytes, 1000 * (2 * 64 * 8 + 8 * 4 + 4));
  EXPECT_DOUBLE_EQ(*fast.bytes_per_s, fast.useful_bytes / (66 / 65536.0));
  EXPECT_DOUBLE_EQ(*fast.copy_fraction, 0.5);
  EXPECT_FALSE(runs[0].batch->copy_fraction.has_value());
  EXPECT_FALSE(runs[2].batch->copy_fraction.has_value()) << "the host has another memory";
  EXPECT_DOUBLE_EQ(batch_flops("inverse", 2, 0), 15);
  EXPECT_DOUBLE_EQ(batch_flops("solve", 2, 3), batch_flops("lu", 2, 0) + 18);
  EXPECT_DOUBLE_EQ(batch_useful_bytes("inverse", 2, 0, 4), 36);
  EXPECT_DOUBLE_EQ(batch_useful_bytes("solve", 2, 3, 8), 32 + 96 + 4);
}

TEST(BatchFigures, AreOfTheSameTurnsAndArrays) {
  std::vector<RunRecord> runs = turns_with_copy();
  runs[1].batch->layout = "interleaved";
  set_copy_fractions(runs);
  EXPECT_FALSE(runs[1].batch->copy_fraction.has_value());
  runs[1].batch->layout = "contiguous";
  runs[1].sweep.emplace().invocation = "later";
  set_copy_fractions(runs);
  EXPECT_FALSE(runs[1].batch->copy_fraction.has_value());
}

TEST(BatchFigures, AreRecomputedWhereAFileIsRead) {
  const json good = json::parse(dump_json(to_json(test::file_of(turns_with_copy()))));
  EXPECT_THAT(schema_violations(good), IsEmpty());
  EXPECT_THAT(consistency_violations(good, {batch_facts()}), IsEmpty());
  for (const char* key :
       {"count", "flops", "useful_bytes", "flops_per_s", "bytes_per_s", "copy_fraction"}) {
    json bad = good;
    bad["runs"][1]["batch"][key] = 3;
    EXPECT_THAT(consistency_violations(bad, {batch_facts()}),
                Contains(testing::AllOf(HasSubstr("runs[1].batch"), HasSubstr(key))))
        << key;
  }
  json bad = good;
  bad["runs"][1]["batch"] = nullptr;
  EXPECT_THAT(consistency_violations(bad, {batch_facts()}),
              Contains(HasSubstr("a batch run without batch")));
}
}  // namespace
}  // namespace lufact
