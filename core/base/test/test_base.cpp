// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/base/format_count.hpp"
#include "core/base/machine.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"
#include "core/base/types.hpp"

namespace lufact {
namespace {

TEST(ByteSize, ReadsBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_byte_size("0"), 0u);
  EXPECT_EQ(parse_byte_size("16GiB"), 16ULL << 30);
  EXPECT_EQ(parse_byte_size("1.5 MiB"), 3ULL << 19);
  EXPECT_EQ(parse_byte_size("2GB"), 2000000000u);
}

TEST(ByteSize, RejectsWhatIsNoSize) {
  for (const char* text : {"", "GiB", "-1", "1 gib", "nan", "1e30TB", "3 apples"}) {
    EXPECT_THROW(parse_byte_size(text), std::invalid_argument) << text;
  }
}

TEST(FormatCount, CountsHaveSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(78602339), "78,602,339");
  EXPECT_EQ(format_count(-123456), "-123,456");
}

TEST(Sha256, MatchesThePublishedVector) {
  EXPECT_EQ(sha256_of_text("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Outcome, NamesRoundTrip) {
  EXPECT_EQ(to_string(Outcome::singular_structural), "singular_structural");
  EXPECT_EQ(parse_outcome("oom_device"), Outcome::oom_device);
  EXPECT_FALSE(parse_outcome("fine").has_value());
}

TEST(CheckedBytes, RefusesOverflowAndNegativeCounts) {
  EXPECT_EQ(checked_bytes(10, 8), 80u);
  EXPECT_THROW(checked_bytes(std::numeric_limits<Offset>::max(), 8), Error);
  EXPECT_THROW(checked_bytes(-1, 8), Error);
  EXPECT_THROW(checked_index(Offset{1} << 31, "n"), Error);
}

TEST(Random, IsAPureFunctionOfItsKeys) {
  // The first output of SplitMix64 seeded with 0, from its published reference code.
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(hash64(1, 2, 3), hash64(1, 2, 3));
  EXPECT_NE(hash64(1, 2, 3), hash64(1, 3, 2));
  EXPECT_LT(unit_interval(~0ULL), 1.0);
}

TEST(Machine, KnowsThisHost) {
  const HostFacts host = query_host();
  EXPECT_GE(host.threads, 1);
  EXPECT_GT(host.memory_bytes, 0u);
  EXPECT_GT(peak_resident_bytes(), 0u);
}

}  // namespace
}  // namespace lufact
