// SPDX-License-Identifier: BSD-3-Clause
// Options of GSoFa: what is refused, and what stages are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/config/run_options.hpp"
#include "core/base/error.hpp"

namespace lufact::test {
namespace {

using ::testing::HasSubstr;

RunConfig parsed(std::vector<std::string> words) {
  RunConfig config;
  CLI::App parser;
  words.insert(words.begin(), {"--matrix", "g.mtx"});
  add_run_options(parser, config, {});
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  parser.parse(std::move(words));
  complete_config(parser, config);
  return config;
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    parsed(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(GsofaOptions, TheDefaultIsThePaperAtItsBest) {
  const GsofaOptions options = parsed({}).gsofa.search_options();
  EXPECT_EQ(options.chunk_size, 128);
  EXPECT_TRUE(options.windows && options.external && options.bubbles && options.dynamic);
  EXPECT_FALSE(options.fill_first);
  EXPECT_EQ(options.layout, GsofaLayout::paper);
  EXPECT_EQ(options.concurrency.rule, GsofaConcurrencyOption::Rule::automatic);
  EXPECT_FALSE(options.queue || options.budget);
}

TEST(GsofaOptions, AllAreTold) {
  const GsofaOptions options =
      parsed({"--gsofa-chunk-size", "64", "--gsofa-windows", "off", "--gsofa-fill-first", "on",
              "--gsofa-layout", "paper", "--gsofa-concurrency", "96", "--gsofa-space",
              "external,bubbles", "--gsofa-queue", "1", "--gsofa-budget", "1GB"})
          .gsofa.search_options();
  EXPECT_EQ(options.chunk_size, 64);
  EXPECT_FALSE(options.windows);
  EXPECT_TRUE(options.fill_first);
  EXPECT_EQ(options.concurrency.rule, GsofaConcurrencyOption::Rule::fixed);
  EXPECT_EQ(options.concurrency.sources, 96);
  EXPECT_TRUE(options.external && options.bubbles);
  EXPECT_FALSE(options.dynamic);
  EXPECT_EQ(options.queue, 1);
  EXPECT_EQ(options.budget, 1000000000U);
  const GsofaOptions none =
      parsed({"--gsofa-space", "none", "--gsofa-concurrency", "paper", "--gsofa-layout", "merged"})
          .gsofa.search_options();
  EXPECT_FALSE(none.external || none.bubbles || none.dynamic);
  EXPECT_EQ(none.concurrency.rule, GsofaConcurrencyOption::Rule::paper);
  EXPECT_EQ(none.layout, GsofaLayout::merged);
}

TEST(GsofaOptions, RefusalsSayWhatIsAccepted) {
  EXPECT_THAT(refusal({"--gsofa-chunk-size", "0"}), HasSubstr("accepted: 1 to 1024"));
  EXPECT_THAT(refusal({"--gsofa-chunk-size", "1025"}), HasSubstr("accepted: 1 to 1024"));
  EXPECT_EQ(refusal({"--gsofa-chunk-size", "1024"}), "");
  EXPECT_THAT(refusal({"--supernodes", "t3", "--supernode-size", "1025"}),
              HasSubstr("accepted: 1 to 1024"));
  for (const char* sources : {"0", "-1", "many", "12x"}) {
    EXPECT_THAT(refusal({std::string("--gsofa-concurrency=") + sources}),
                HasSubstr("accepted: auto, paper, or 1 or more"));
  }
  EXPECT_THAT(refusal({"--gsofa-space", "dynamic"}), HasSubstr("dynamic needs bubbles, for"));
  EXPECT_THAT(refusal({"--gsofa-space", "bubbles,holes"}), HasSubstr("'holes' is not known"));
  EXPECT_THAT(refusal({"--gsofa-space", "bubbles", "--gsofa-queue", "5"}),
              HasSubstr("--gsofa-queue needs external"));
  EXPECT_THAT(refusal({"--gsofa-layout", "merged", "--gsofa-fill-first", "on"}),
              HasSubstr("--gsofa-fill-first needs --gsofa-layout paper"));
  EXPECT_THAT(refusal({"--gsofa-queue", "0"}), HasSubstr("accepted: 1 or more"));
  EXPECT_THAT(refusal({"--supernode-size", "8"}), HasSubstr("needs --supernodes t3"));
}

}  // namespace
}  // namespace lufact::test
