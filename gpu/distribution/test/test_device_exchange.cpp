// SPDX-License-Identifier: BSD-3-Clause
// Messages between devices of ranks that are threads of this process. Through the host all are on
// one device; NCCL takes one for each.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "core/distribution/test/thread_ranks.hpp"
#include "gpu/distribution/nccl_library.hpp"
#include "gpu/distribution/open_exchange.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"

namespace lufact::gpu {
namespace {

constexpr Index ranks_in_all = 2;
// Of 64-bit numbers: none, few, and more than one message of a group holds.
constexpr Offset lengths[] = {0, 1, 1000, (Offset{9} << 20) + 5};

std::vector<Offset> numbers(Offset length) {
  std::vector<Offset> all(at(length));
  std::iota(all.begin(), all.end(), Offset{7} << 40);
  return all;
}

class DeviceExchanges : public testing::Test {
 protected:
  // Two devices of one process: NCCL would write into the memory of the other one directly, which
  // a session grants to no device, and which it cannot between processes.
  static void SetUpTestSuite() { setenv("NCCL_P2P_DIRECT_DISABLE", "1", 0); }

  static void send_all(DeviceExchange& exchange, DeviceSession& session) {
    for (const Offset length : lengths) {
      Buffer<Offset> data(session, MemoryRole::scratch, length, "numbers to send");
      data.upload(numbers(length));
      exchange.send(data.data(), data.bytes());
      data.fill_bytes(0xff);  // later work, which must not reach what was sent
    }
    session.synchronize();
  }
  static void receive_all(DeviceExchange& exchange, DeviceSession& session) {
    for (const Offset length : lengths) {
      Buffer<Offset> data(session, MemoryRole::scratch, length, "numbers to receive");
      data.fill_bytes(0);
      exchange.receive(1, data.data(), data.bytes());
      EXPECT_EQ(data.download(), numbers(length)) << length;
    }
  }

  static void expect_arrival(ExchangeOption option, const char* transport, bool one_device) {
    test::run_on_ranks(ranks_in_all, [&](RankGroup& ranks) {
      DeviceSession session({one_device ? 0 : ranks.rank(), std::uint64_t{1} << 30});
      const auto exchange = open_exchange(session, ranks, option);
      EXPECT_EQ(exchange->transport(), transport);
      if (ranks.rank() == 0) {
        receive_all(*exchange, session);
      } else {
        send_all(*exchange, session);
      }
      EXPECT_EQ(session.ledger().in_use(), 0U);
    });
  }
};

TEST_F(DeviceExchanges, ArriveThroughTheHost) {
  const std::string fault = find_device_fault(0);
  if (!fault.empty()) GTEST_SKIP() << fault;
  expect_arrival(ExchangeOption::mpi, "mpi", true);
}

TEST_F(DeviceExchanges, ArriveByNcclTwice) {
  const std::string fault = find_device_fault(1);
  if (!fault.empty()) GTEST_SKIP() << fault;
  if (!nccl_library().fault.empty()) GTEST_SKIP() << nccl_library().fault;
  expect_arrival(ExchangeOption::nccl, "nccl", false);
  expect_arrival(ExchangeOption::automatic, "nccl", false);
}

TEST_F(DeviceExchanges, AutoDoesWithoutNcclOnOneDevice) {
  const std::string fault = find_device_fault(0);
  if (!fault.empty()) GTEST_SKIP() << fault;
  expect_arrival(ExchangeOption::automatic, "mpi", true);
}

}  // namespace
}  // namespace lufact::gpu
