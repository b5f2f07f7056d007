// SPDX-License-Identifier: BSD-3-Clause
// The sections on GSoFa and on supernodes: every key that the schema asks for, and what follows
// from the rest of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/report/consistency.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

json written_run() {
  return json::parse(dump_json(to_json(test::full_run()), 1));
}

TEST(GsofaSections, AreThoseOfAWholeRun) {
  EXPECT_THAT(run_schema_violations(written_run()), IsEmpty());
  EXPECT_THAT(run_consistency_violations(written_run(), {sparse_facts()}), IsEmpty());
}

// Files of an earlier version lack them; where they are there, they are whole.
TEST(GsofaSections, MissEveryKey) {
  for (const char* at :
       {"/gsofa", "/gsofa/concurrency", "/gsofa/queue", "/gsofa/bytes", "/supernodes",
        "/distribution", "/distribution/slices/0", "/profile/sources"}) {
    json run = written_run();
    run["distribution"].erase("ranks");  // added later
    ASSERT_THAT(run_schema_violations(run), IsEmpty());
    for (const auto& [key, value] : run.at(json::json_pointer(at)).items()) {
      json mutated = run;
      mutated.at(json::json_pointer(at)).erase(key);
      EXPECT_THAT(run_schema_violations(mutated), Not(IsEmpty())) << at << " without " << key;
    }
  }
}

TEST(GsofaSections, FollowFromTheRestOfTheRun) {
  const std::vector<std::pair<std::pair<const char*, json>, std::string>> cases = {
      {{"/gsofa/edges_per_s", 5}, "gsofa: edges_per_s is 5, by the samples"},
      {{"/gsofa/reinitialise_s", nullptr}, "gsofa: reinitialise_s is null"},
      {{"/gsofa/concurrency/least", 512}, "least is above concurrency.most"},
      {{"/gsofa/bubbles", false}, "dynamic without bubbles"},
      {{"/gsofa/enqueued", 5}, "enqueued_again is above enqueued"},
      {{"/gsofa/queue/mean_share", 0.75}, "mean_share is above queue.peak_share"},
      {{"/gsofa/budget_bytes", 1000}, "of the array 1001600 pass the budget of 1000"},
      {{"/gsofa/bytes/by_table2", 1}, "by_table2 1 is not 24 n #C, 3686400"},
      {{"/distribution/nodes", 3}, "2 slices of 3 devices"},
      {{"/distribution/slices/0/sources", 300}, "the slices have 500 sources in all"},
      {{"/distribution/slices/1/edges_checked", 0}, "have looked at 100000 edges in all"},
      {{"/distribution/imbalance", 1.25}, "imbalance is 1.25, by the slices 1.5"},
      {{"/distribution/simulated", false}, "exactly where slices were simulated"},
      {{"/distribution/simulated_s", 0.5}, "simulated_s is below the slowest slice, 0.75"},
      {{"/supernodes/count", 91}, "count is 91, by the histogram 90"},
      {{"/supernodes/largest", 8}, "largest is 8, by the histogram 7"},
      {{"/supernodes/max_size", 6}, "largest is 7, by the histogram 7, and at most 6"},
      {{"/supernodes/rows_in_larger", 5}, "rows_in_larger is 5, by the histogram 595"},
      {{"/supernodes/sizes/1", 8}, "the supernodes have 685 rows in all"},
      {{"/supernodes/sizes/0", 9}, "sizes do not ascend"},
      {{"/factors/supernodes", 91}, "factors.supernodes is not count"},
  };
  for (const auto& [mutation, message] : cases) {
    json run = written_run();
    run[json::json_pointer(mutation.first)] = mutation.second;
    EXPECT_THAT(run_schema_violations(run), IsEmpty()) << mutation.first;
    EXPECT_THAT(run_consistency_violations(run, {sparse_facts()}), Contains(HasSubstr(message)))
        << mutation.first;
  }
}

}  // namespace
}  // namespace lufact
