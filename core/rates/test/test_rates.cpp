// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "core/rates/rate_set.hpp"

namespace lufact {
namespace {

TEST(RateList, NamesEveryRateOnce) {
  std::set<std::string> keys;
  std::set<const double*> places;
  Rates rates;
  for (const RateEntry& entry : rate_list()) {
    EXPECT_TRUE(keys.insert(entry.key()).second) << entry.key();
    EXPECT_TRUE(places.insert(&entry.of(rates)).second) << entry.key();
    EXPECT_GT(entry.value(rates), 0) << entry.key();
    EXPECT_FALSE(entry.meaning.empty()) << entry.key();
  }
  EXPECT_EQ(places.size() * sizeof(double), sizeof(Rates));
}

TEST(RateList, SaysSecondsOfWhatEndsWithThem) {
  for (const RateEntry& entry : rate_list()) {
    EXPECT_EQ(entry.name.ends_with("_s") && !entry.name.ends_with("_per_s"), entry.unit == "s")
        << entry.key();
    EXPECT_EQ(entry.name.ends_with("flops_per_s"), entry.unit == "flops/s") << entry.key();
  }
}

TEST(RateSet, HasAHashOfItsValuesAlone) {
  RateSet one{.name = "one"}, other{.name = "other"};
  EXPECT_EQ(one.sha256(), other.sha256());
  other.rates.front_path.tile_s *= 2;
  EXPECT_NE(one.sha256(), other.sha256());
}

TEST(RateSet, AnH100IsShippedAsMeasured) {
  ASSERT_EQ(shipped_rates().size(), 2u);
  const RateSet& first = shipped_rates()[0];
  const RateSet& other = shipped_rates()[1];
  EXPECT_EQ(other.name, "h100-16-cores");
  EXPECT_NE(other.sha256(), first.sha256());
  for (const RateEntry& entry : rate_list()) {
    const double ratio = entry.value(other.rates) / entry.value(first.rates);
    if (other.origin_of(entry) == RateOrigin::shipped) {
      EXPECT_EQ(ratio, 1) << entry.key();
    }
    EXPECT_GT(ratio, 0.2) << entry.key();
    EXPECT_LT(ratio, 5) << entry.key();
  }
}

TEST(RateSet, CountsOrigins) {
  RateSet set{.name = "mine"};
  const std::string all = std::to_string(rate_list().size());
  EXPECT_EQ(set.origins(), all + " shipped");
  set.origin["ordering.amd_entry_s"] = RateOrigin::measured;
  EXPECT_EQ(set.origins(), "1 measured, " + std::to_string(rate_list().size() - 1) + " shipped");
}

TEST(ShippedRates, AreNamedAndBeginWithTheDefault) {
  std::set<std::string> names;
  for (const RateSet& set : shipped_rates()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_EQ(set.source, "shipped");
  }
  EXPECT_EQ(shipped_rates().front().sha256(), RateSet{}.sha256());
}

}  // namespace
}  // namespace lufact
