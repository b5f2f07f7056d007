// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/distribution/rank_exchange.hpp"
#include "core/distribution/test/thread_ranks.hpp"
#include "gpu/distribution/exchange_choice.hpp"

namespace lufact::gpu {
namespace {

using testing::HasSubstr;

constexpr int version = 22304;

std::vector<ExchangeFacts> ranks_with(const std::vector<std::string>& devices) {
  std::vector<ExchangeFacts> facts;
  for (const std::string& device : devices) facts.push_back(exchange_facts(device, version, ""));
  return facts;
}

// "nccl: ", "mpi: " or the code of a refusal, and the text with it.
std::string choice(ExchangeOption option, const std::vector<ExchangeFacts>& facts) {
  std::string text;
  test::run_on_ranks(1, [&](RankGroup& ranks) {
    try {
      const ExchangeChoice chosen = choose_exchange(option, facts, ranks);
      text = (chosen.nccl ? "nccl: " : "mpi: ") + chosen.reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::unsupported);
      text = error.code() + ": " + error.what();
    }
  });
  return text;
}

TEST(ExchangeChoice, IsNcclWhereEveryRankHasItAndADevice) {
  const auto facts = ranks_with({"GPU-a", "GPU-b"});
  EXPECT_EQ(choice(ExchangeOption::nccl, facts), "nccl: ");
  EXPECT_EQ(choice(ExchangeOption::mpi, facts), "mpi: ");
  EXPECT_EQ(choice(ExchangeOption::automatic, facts),
            "nccl: every rank has NCCL 2.23.4 and a device of its own");
}

TEST(ExchangeChoice, OneRankSendsNothing) {
  const auto facts = ranks_with({"GPU-a"});
  EXPECT_EQ(choice(ExchangeOption::automatic, facts), "mpi: one rank has nothing to send");
  EXPECT_EQ(choice(ExchangeOption::nccl, facts), "nccl: ");
}

TEST(ExchangeChoice, OneRankWithoutTheLibraryIsEnough) {
  auto facts = ranks_with({"GPU-a", "GPU-b"});
  facts.push_back(exchange_facts("GPU-c", 0, "libnccl.so.2: no such file"));
  const std::string what = "rank 2 on here has no NCCL: libnccl.so.2: no such file";
  EXPECT_EQ(choice(ExchangeOption::automatic, facts), "mpi: not nccl: " + what);
  const std::string refused = choice(ExchangeOption::nccl, facts);
  EXPECT_THAT(refused, HasSubstr("no_nccl: --exchange nccl: " + what));
  EXPECT_THAT(refused, HasSubstr("LUFACT_NCCL_ROOT"));
  EXPECT_THAT(refused, HasSubstr("--exchange mpi"));
}

TEST(ExchangeChoice, RanksThatShareADeviceDoWithoutNccl) {
  const auto facts = ranks_with({"GPU-a", "GPU-b", "GPU-a"});
  const std::string what = "rank 0 on here and rank 2 on here have the same device, GPU-a";
  EXPECT_EQ(choice(ExchangeOption::automatic, facts), "mpi: not nccl: " + what);
  EXPECT_EQ(choice(ExchangeOption::nccl, facts),
            "ranks_share_device: --exchange nccl: " + what +
                "; give each rank a device of its own by --devices, or use --exchange mpi");
}

TEST(ExchangeChoice, VersionsMustAgree) {
  auto facts = ranks_with({"GPU-a"});
  facts.push_back(exchange_facts("GPU-b", 22703, ""));
  EXPECT_THAT(choice(ExchangeOption::nccl, facts),
              HasSubstr("other_nccl: --exchange nccl: rank 1 on here has NCCL 2.27.3, the first "
                        "rank 2.23.4"));
}

TEST(ExchangeFacts, AreTheSameOnEveryRank) {
  std::vector<std::vector<ExchangeFacts>> shared(3);
  test::run_on_ranks(3, [&](RankGroup& ranks) {
    const std::string device = "GPU-" + std::to_string(ranks.rank());
    const auto own = exchange_facts(device, ranks.rank(), std::string(1000, 'x'));
    shared[at(ranks.rank())] = share_facts(ranks, own);
  });
  for (const std::vector<ExchangeFacts>& facts : shared) {
    ASSERT_EQ(facts.size(), 3U);
    for (int rank = 0; rank < 3; ++rank) {
      const ExchangeFacts& of_rank = facts[static_cast<std::size_t>(rank)];
      EXPECT_EQ(std::string(of_rank.device.data()), "GPU-" + std::to_string(rank));
      EXPECT_EQ(of_rank.nccl_version, rank);
      EXPECT_EQ(std::string(of_rank.fault.data()), std::string(255, 'x'));
    }
  }
}

TEST(ExchangeFacts, ARankThatFailedBeforeTellsThatInstead) {
  try {
    test::run_on_ranks(2, [](RankGroup& ranks) {
      const auto fail = []() -> RankReport {
        throw Error(Outcome::unsupported, "no_device", "there is no device 7");
      };
      if (ranks.rank() > 0) {
        search_and_report(ranks, fail);
      } else {
        share_facts(ranks, exchange_facts("GPU-a", version, ""));
      }
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "no_device");
    EXPECT_STREQ(error.what(), "rank 1 on here: there is no device 7");
  }
}

}  // namespace
}  // namespace lufact::gpu
