// SPDX-License-Identifier: BSD-3-Clause
// The traffic of factors in parts, followed on lanes that know what is ordered: no work and no copy
// touches what another one may be touching at the same time, and every reader finds its part.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/fronts/plan/part_traffic.hpp"

namespace lufact {
namespace {

constexpr std::size_t lane_count = 3;
using Clock = std::array<int, lane_count>;  // how far each lane is known to be

// A place in memory: its contents, and who has read and written it since.
struct Place {
  std::pair<Index, int> contents{-1, -1};  // a part and the version of its factors
  std::vector<std::pair<std::size_t, int>> readers;
  std::pair<std::size_t, int> writer{0, 0};
};

// Lanes that run what they are given at once, and check that any other order that events and lanes
// allow would have come to the same.
class FollowedLanes {
 public:
  explicit FollowedLanes(Index parts) : host_(static_cast<std::size_t>(parts)) {}

  void wait(Lane lane, int event) {
    Clock& own = clock(lane);
    const Clock& known = events_[event];
    for (std::size_t k = 0; k < lane_count; ++k) own[k] = std::max(own[k], known[k]);
  }
  void record(int event, Lane lane) { events_[event] = clock(lane); }
  void copy_to_host(Index part, int region) {
    read(Lane::to_host, regions_[at(region)]);
    write(Lane::to_host, host_[at(part)], regions_[at(region)].contents);
  }
  void copy_to_device(Index part, int region) {
    ++uploads;
    read(Lane::to_device, host_[at(part)]);
    write(Lane::to_device, regions_[at(region)], host_[at(part)].contents);
  }

  void make_factors(Index part, int region, int version) {
    write(Lane::work, regions_[at(region)], {part, version});
  }
  std::pair<Index, int> use_factors(int region) {
    read(Lane::work, regions_[at(region)]);
    return regions_[at(region)].contents;
  }

  int uploads = 0, conflicts = 0;

 private:
  Clock& clock(Lane lane) { return clocks_[static_cast<std::size_t>(lane)]; }
  // One thing more on the lane.
  std::pair<std::size_t, int> step(Lane lane) {
    const auto number = static_cast<std::size_t>(lane);
    return {number, ++clock(lane)[number]};
  }
  void require_before(const std::pair<std::size_t, int>& earlier, Lane lane) {
    if (clock(lane)[earlier.first] < earlier.second) ++conflicts;
  }
  void read(Lane lane, Place& place) {
    require_before(place.writer, lane);
    place.readers.push_back(step(lane));
  }
  void write(Lane lane, Place& place, std::pair<Index, int> contents) {
    require_before(place.writer, lane);
    for (const auto& reader : place.readers) require_before(reader, lane);
    place = {contents, {}, step(lane)};
  }

  std::array<Clock, lane_count> clocks_{};
  std::map<int, Clock> events_;
  std::array<Place, 2> regions_;
  std::vector<Place> host_;
};

// The steps that factors in parts go through, as their owner takes them.
class Followed {
 public:
  explicit Followed(Index parts) : parts_(parts), lanes_(parts), traffic_(lanes_) {}

  void factorize() {
    ++version_;
    for (Index part = 0; part < parts_; ++part) {
      traffic_.begin_writing(part);
      lanes_.make_factors(part, traffic_.region_of(part), version_);
      traffic_.end_writing(part);
    }
  }
  void solve() {
    std::vector<Index> way;
    for (Index part = 0; part < parts_; ++part) way.push_back(part);
    for (Index part = parts_ - 2; part >= 0; --part) way.push_back(part);
    for (std::size_t k = 0; k < way.size(); ++k) {
      const Index part = way[k], next = k + 1 < way.size() ? way[k + 1] : -1;
      traffic_.begin_reading(part, next);
      EXPECT_EQ(lanes_.use_factors(traffic_.region_of(part)), std::pair(part, version_));
      traffic_.end_reading(part);
    }
  }
  const FollowedLanes& lanes() const { return lanes_; }

 private:
  Index parts_;
  FollowedLanes lanes_;
  PartTraffic<FollowedLanes> traffic_;
  int version_ = 0;
};

TEST(PartTraffic, EveryReaderFindsItsPartAndNothingRaces) {
  for (const Index parts : {1, 2, 3, 4, 7, 20}) {
    SCOPED_TRACE(parts);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Followed followed(parts);
      followed.factorize();
      for (std::uint64_t step = 0; step < 12; ++step) {
        hash64(seed, step) % 3 == 0 ? followed.factorize() : followed.solve();
      }
      EXPECT_EQ(followed.lanes().conflicts, 0);
    }
  }
}

TEST(PartTraffic, WhatIsThereIsNotBroughtAgain) {
  for (const Index parts : {1, 2, 4, 8}) {
    SCOPED_TRACE(parts);
    Followed followed(parts);
    followed.factorize();
    followed.solve();
    const int away = parts - 2;  // but for the two at either end
    const int first = parts > 2 ? parts + away : 0;
    EXPECT_EQ(followed.lanes().uploads, first);
    followed.solve();
    EXPECT_EQ(followed.lanes().uploads, first + (parts > 2 ? 2 * away : 0));
  }
}

// The test itself: lanes that do not wait are seen.
class LanesWithoutWaits : public FollowedLanes {
 public:
  using FollowedLanes::FollowedLanes;
  void wait(Lane, int) {}
};

TEST(PartTraffic, WithoutItsWaitsItWouldRace) {
  LanesWithoutWaits lanes(3);
  PartTraffic<LanesWithoutWaits> traffic(lanes);
  for (Index part = 0; part < 3; ++part) {
    traffic.begin_writing(part);
    lanes.make_factors(part, traffic.region_of(part), 1);
    traffic.end_writing(part);
  }
  EXPECT_GT(lanes.conflicts, 0);
}

}  // namespace
}  // namespace lufact
