// SPDX-License-Identifier: BSD-3-Clause
// What is read of the driver's count, from a management library that is made up and from a card
// whose readings are scripted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "gpu/runtime/driver_memory.hpp"
#include "gpu/runtime/held_memory.hpp"

namespace lufact::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using Processes = std::vector<CardProcess>;

constexpr unsigned own = 42;

TEST(CardMemory, TellsProcessesAndTheWholeCard) {
  const auto card = open_card_memory("GPU-fake", LUFACT_FAKE_NVML);
  const auto processes = card->processes();
  ASSERT_TRUE(processes);
  ASSERT_EQ(processes->size(), 70u);  // asked again with more room
  EXPECT_EQ(processes->at(0).pid, 100u);
  EXPECT_EQ(processes->at(0).bytes, 1000u);
  EXPECT_FALSE(processes->at(1).bytes);  // not available
  EXPECT_FALSE(processes->at(2).bytes);  // none, which cannot be
  EXPECT_EQ(processes->at(69).pid, 169u);
  EXPECT_EQ(processes->at(69).bytes, 1069u);
  EXPECT_EQ(card->used_bytes(), 400u);
}

TEST(CardMemory, TellsNothingOfAnotherCardOrWithoutALibrary) {
  for (const auto& [uuid, library] : {std::pair{"GPU-other", LUFACT_FAKE_NVML},
                                      std::pair{"GPU-fake", "/nowhere/libnvidia-ml.so.1"}}) {
    const auto card = open_card_memory(uuid, library);
    EXPECT_FALSE(card->processes()) << uuid;
    EXPECT_FALSE(card->used_bytes()) << uuid;
  }
}

// What the tests change of it, they do between readings.
struct Script {
  std::optional<Processes> processes;
  std::optional<std::uint64_t> used;
  std::atomic<std::uint64_t> own_bytes{0};  // added to those of `own`, and to what is used
  std::atomic<int> readings{0};
};

class ScriptedCard final : public CardMemory {
 public:
  explicit ScriptedCard(Script& script) : script_(script) {}
  std::optional<Processes> processes() override {
    ++script_.readings;
    auto processes = script_.processes;
    if (!processes) return processes;
    for (CardProcess& process : *processes) {
      if (process.pid == own && process.bytes) *process.bytes += script_.own_bytes;
    }
    return processes;
  }
  std::optional<std::uint64_t> used_bytes() override {
    ++script_.readings;
    if (!script_.used) return std::nullopt;
    return *script_.used + script_.own_bytes;
  }

 private:
  Script& script_;
};

struct Choice {
  std::optional<std::string> method;
  std::optional<std::uint64_t> others, bytes;
  std::string reason;
};

Choice choice_of(std::optional<Processes> processes, std::optional<std::uint64_t> used) {
  Script script{.processes = std::move(processes), .used = used};
  ScriptedCard card(script);
  DriverMemoryReader reader(card, own);
  return {reader.method(), reader.other_processes(), reader.read(), reader.reason()};
}

TEST(DriverMemoryReader, ReadsTheProcessWhereTheDriverTellsThemApart) {
  const Choice choice = choice_of(Processes{{7, 300}, {own, 500}}, 900);
  EXPECT_EQ(choice.method, "process");
  EXPECT_EQ(choice.others, 1u);
  EXPECT_EQ(choice.bytes, 500u);
}

TEST(DriverMemoryReader, ReadsTheCardWhereNobodyElseIsThere) {
  const Choice by_another_number = choice_of(Processes{{7, 300}}, 900);
  EXPECT_EQ(by_another_number.method, "card");
  EXPECT_EQ(by_another_number.others, 0u);
  EXPECT_EQ(by_another_number.bytes, 900u);
  EXPECT_EQ(choice_of(Processes{{own, std::nullopt}}, 900).method, "card");
}

TEST(DriverMemoryReader, SaysThatItKnowsOfNoOthersWhereAllAreHidden) {
  for (const auto& none : {std::optional<Processes>(), std::optional<Processes>(Processes())}) {
    const Choice choice = choice_of(none, 900);
    EXPECT_EQ(choice.method, "card");
    EXPECT_FALSE(choice.others);
  }
}

TEST(DriverMemoryReader, RefusesWhatCannotBeTold) {
  const Choice shared = choice_of(Processes{{7, std::nullopt}, {own, std::nullopt}}, 900);
  EXPECT_FALSE(shared.method);
  EXPECT_FALSE(shared.bytes);
  EXPECT_THAT(shared.reason, HasSubstr("1 others use the card"));
  EXPECT_THAT(choice_of(std::nullopt, std::nullopt).reason, HasSubstr("was not found"));
}

// A watch whose thread has read at least once more when the test goes on.
class Watched {
 public:
  explicit Watched(Script& script) : script_(script) {
    watch_ = watch_card_memory(
        std::make_unique<ScriptedCard>(script), own, [] {}, [this] { return name_of(phase_); },
        std::chrono::microseconds(10));
  }
  DriverMemoryWatch& operator*() { return *watch_; }
  // Two whole readings begin after the change.
  void hold(std::uint64_t bytes, int phase) {
    script_.own_bytes = bytes;
    phase_ = phase;  // only now, so that no reading in it is of what was before
    const int seen = script_.readings;
    while (script_.readings < seen + 3) std::this_thread::yield();
    phase_ = 0;
  }

 private:
  static std::string name_of(int phase) {
    return phase == 0 ? "" : phase == 1 ? "symbolic" : "numeric";
  }
  Script& script_;
  std::atomic<int> phase_{0};
  std::unique_ptr<DriverMemoryWatch> watch_;
};

TEST(DriverMemoryWatch, KeepsThePeakOfAllAndOfEachPhase) {
  Script script{.processes = Processes{{7, 300}, {own, 100}}, .used = 900};
  Watched watched(script);
  script.own_bytes = 20;  // what was loaded since
  (*watched).begin();
  watched.hold(1020, 1);
  watched.hold(520, 2);
  watched.hold(60, 0);
  const DriverMemoryRecord record = (*watched).end();
  EXPECT_EQ(record.method, "process");
  EXPECT_EQ(record.opened_bytes, 100u);
  EXPECT_EQ(record.baseline_bytes, 120u);
  EXPECT_EQ(record.peak_bytes, 1120u);
  EXPECT_EQ(record.peak_over_baseline_bytes, 1000u);
  EXPECT_EQ(record.held_over_baseline_bytes, 40u);
  EXPECT_GE(record.readings, 6u);
  EXPECT_EQ(record.other_processes, 1u);
  EXPECT_THAT(record.over_baseline_by_phase,
              ElementsAre(Pair("numeric", 500u), Pair("symbolic", 1000u)));
  EXPECT_FALSE(record.unavailable_reason);
}

TEST(DriverMemoryWatch, IsOfTheWholeCardWhereItMustBe) {
  Script script{.processes = Processes{{7, std::nullopt}}, .used = 900};
  Watched watched(script);
  (*watched).begin();
  watched.hold(50, 0);
  watched.hold(10, 0);
  const DriverMemoryRecord record = (*watched).end();
  EXPECT_EQ(record.method, "card");
  EXPECT_EQ(record.baseline_bytes, 900u);
  EXPECT_EQ(record.peak_over_baseline_bytes, 50u);
  EXPECT_EQ(record.held_over_baseline_bytes, 10u);
  EXPECT_THAT(record.over_baseline_by_phase, IsEmpty());
}

TEST(DriverMemoryWatch, HasNoFiguresOfACardThatAnotherProcessCameTo) {
  Script script{.processes = Processes{{7, std::nullopt}}, .used = 900};
  ScriptedCard card(script);
  DriverMemoryReader reader(card, own);
  ASSERT_EQ(reader.method(), "card");
  script.processes->push_back({8, std::nullopt});
  reader.look_again();
  EXPECT_FALSE(reader.method());
  EXPECT_THAT(reader.reason(), HasSubstr("came to the card"));
}

TEST(DriverMemoryWatch, SaysWhyThereAreNoFigures) {
  Script script;
  Watched watched(script);
  (*watched).begin();
  const DriverMemoryRecord record = (*watched).end();
  EXPECT_FALSE(record.method);
  EXPECT_FALSE(record.peak_bytes);
  EXPECT_FALSE(record.readings);
  ASSERT_TRUE(record.unavailable_reason);
  EXPECT_THAT(*record.unavailable_reason, HasSubstr("libnvidia-ml.so.1"));
}

TEST(HeldMemory, NamesWhatThePeakWasMadeOf) {
  HeldMemory held;
  const char places[5] = {};
  held.add(&places[0], 100, "factors");
  held.add(&places[1], 10, "maps");
  held.remove(&places[1]);
  held.add(&places[2], 20, "maps");
  held.add(&places[3], 5, "maps");  // the peak: 125
  held.remove(&places[0]);
  held.add(&places[4], 100, "other factors");  // as much again, and no more
  EXPECT_THAT(held.at_peak(), UnorderedElementsAre(Pair("factors", 100u), Pair("maps", 25u)));
  held.add(&places[0], 1, "one more");
  EXPECT_THAT(held.at_peak(), UnorderedElementsAre(Pair("other factors", 100u), Pair("maps", 25u),
                                                   Pair("one more", 1u)));
}

TEST(HeldMemory, KnowsAnArrayByTheNamesOfItsParts) {
  HeldMemory held;
  const char places[2] = {};
  held.add(&places[0], 100, "factors");
  held.name_part(&places[0], 30, "blocks");
  held.name_part(&places[0], 0, "nothing");
  held.name_part(&places[1], 30, "of no array");
  EXPECT_THAT(held.at_peak(), UnorderedElementsAre(Pair("factors", 70u), Pair("blocks", 30u)));
  held.remove(&places[0]);
  held.add(&places[0], 101, "other");
  EXPECT_THAT(held.at_peak(), ElementsAre(Pair("other", 101u)));
}

TEST(HeldMemory, DoesNotMindWhatCameBeforeIt) {
  HeldMemory held;
  const char place = 0;
  held.remove(&place);
  EXPECT_THAT(held.at_peak(), IsEmpty());
}

TEST(HeldMemory, OfTheProcessIsKeptOnceAskedFor) {
  EXPECT_EQ(held_memory(), nullptr);
  EXPECT_THAT(held_memory_at_peak(), IsEmpty());
  keep_held_memory();
  const char place = 0;
  held_memory()->add(&place, 7, "a");
  EXPECT_THAT(held_memory_at_peak(), ElementsAre(Pair("a", 7u)));
}

}  // namespace
}  // namespace lufact::gpu
