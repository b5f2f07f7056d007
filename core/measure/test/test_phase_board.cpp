// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/measure/phase_board.hpp"
#include "core/measure/phase_recorder.hpp"

namespace lufact {
namespace {

class ShownPhases : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(board_.has_value());
    show_phases_on(&*board_);
  }
  void TearDown() override { show_phases_on(nullptr); }

  std::optional<PhaseBoard> board_ = PhaseBoard::make();
};

TEST_F(ShownPhases, AreThoseOfARecorder) {
  const SteadyClock clock;
  PhaseRecorder phases(clock);
  EXPECT_EQ(board_->read().phase, "");
  {
    const auto symbolic = phases.scope("symbolic");
    EXPECT_EQ(board_->read().phase, "symbolic");
    {
      const auto count = phases.scope("count");
      EXPECT_EQ(board_->read().phase, "symbolic/count");
      EXPECT_FALSE(board_->read().done.has_value());
      show_share_of_phase(0.25);
      EXPECT_EQ(board_->read().done, 0.25);
    }
    EXPECT_EQ(board_->read().phase, "symbolic");
    EXPECT_FALSE(board_->read().done.has_value());
  }
  EXPECT_EQ(board_->read().phase, "");
}

TEST_F(ShownPhases, AreSeenByAnotherProcess) {
  const pid_t child = fork();
  if (child == 0) {
    const int own = dup(board_->descriptor());
    auto inherited = PhaseBoard::inherited(own);
    if (!inherited) _exit(1);
    inherited->show("numeric");
    _exit(fcntl(own, F_GETFD) == -1 ? 0 : 2);  // closed
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(board_->read().phase, "numeric");
}

TEST_F(ShownPhases, AreCutShortWhereTheyAreLong) {
  show_phase(std::string(500, 'x'));
  EXPECT_EQ(board_->read().phase, std::string(103, 'x'));
}

TEST_F(ShownPhases, AreNeverHalfOfOneAndHalfOfAnother) {
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) {
      board_->show(std::string(60, 'a'));
      board_->show(std::string(30, 'b'));
    }
  });
  for (int k = 0; k < 2000; ++k) {
    const std::string phase = board_->read().phase;
    EXPECT_TRUE(phase.empty() || phase == std::string(60, 'a') || phase == std::string(30, 'b'))
        << phase;
  }
  stop = true;
  writer.join();
}

TEST(PhaseBoard, IsNotMadeOfAnyDescriptor) {
  EXPECT_FALSE(PhaseBoard::inherited(-1).has_value());
  const int null = open("/dev/null", O_RDWR);
  EXPECT_FALSE(PhaseBoard::inherited(null).has_value());
  EXPECT_NE(fcntl(null, F_GETFD), -1);  // not ours to close
  close(null);
}

}  // namespace
}  // namespace lufact
