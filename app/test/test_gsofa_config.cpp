// SPDX-License-Identifier: BSD-3-Clause
// Options of GSoFa: what is refused, and what stages are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/config/choices.hpp"
#include "app/config/run_options.hpp"
#include "core/base/error.hpp"
#include "lufact/catalogue.hpp"

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
  for (const char* machine : {"6", "x6", "6x", "0x1", "6x6x6", "6 x 6", "100x100", "-1x2"}) {
    EXPECT_THAT(refusal({std::string("--gsofa-virtual=") + machine}),
                HasSubstr("accepted: NODESxDEVICES"));
  }
  EXPECT_THAT(refusal({"--gsofa-intra", "chunks"}), HasSubstr("needs several --devices"));
  EXPECT_THAT(refusal({"--gsofa-inter", "block"}), HasSubstr("in --gsofa-virtual or as --ranks"));
  EXPECT_THAT(refusal({"--gsofa-inter", "block", "--gsofa-virtual", "1x2"}),
              HasSubstr("several nodes"));
  EXPECT_THAT(refusal({"--gsofa-queue", "0"}), HasSubstr("accepted: 1 or more"));
  EXPECT_THAT(refusal({"--supernode-size", "8"}), HasSubstr("needs --supernodes t3"));
}

TEST(GsofaOptions, MachinesThatAreNotThereAreTold) {
  const GsofaOptions options =
      parsed({"--gsofa-virtual", "44x6", "--gsofa-inter", "block", "--gsofa-intra", "chunks"})
          .gsofa.search_options();
  EXPECT_EQ(options.simulated.value().nodes, 44);
  EXPECT_EQ(options.simulated.value().devices, 6);
  EXPECT_EQ(options.inter, GsofaInter::block);
  EXPECT_EQ(options.intra, GsofaIntra::chunks);
  EXPECT_FALSE(parsed({}).gsofa.search_options().simulated.has_value());
}

TEST(GsofaOptions, ManagedMemoryNeedsRowsOfChunksInLayoutPaper) {
  for (const char* kind : {"um", "um-advise", "um-separate"}) {
    EXPECT_EQ(to_string(parsed({"--gsofa-shared", kind, "--devices", "0,1"}).gsofa.sharing()),
              kind);
    EXPECT_THAT(refusal({"--gsofa-shared", kind, "--gsofa-virtual", "1x2"}),
                HasSubstr("--gsofa-virtual takes bits"));
    EXPECT_THAT(refusal({"--gsofa-shared", kind, "--gsofa-layout", "merged"}),
                HasSubstr("merged takes bits"));
    EXPECT_THAT(refusal({"--gsofa-shared", kind, "--devices", "0,1", "--gsofa-intra", "chunks"}),
                HasSubstr("leaves each chunk on one device"));
    EXPECT_THAT(refusal({"--gsofa-shared", kind, "--supernodes", "off"}),
                HasSubstr("leave --supernodes off out"));
  }
  EXPECT_EQ(refusal({"--gsofa-shared", "bits", "--gsofa-virtual", "1x2"}), "");
  EXPECT_EQ(parsed({}).gsofa.sharing(), TeamSharing::bits);
}

TEST(DevicesOption, TheFirstStandsForDevice) {
  const RunConfig config = parsed({"--devices", "2,0,1"});
  EXPECT_EQ(config.gsofa.device_numbers(), (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(config.device, 2);
  EXPECT_EQ(parsed({"--devices", "1", "--device", "1"}).device, 1);
  EXPECT_EQ(parsed({}).device, 0);
  EXPECT_EQ(run_config_from_json(to_json(config)).gsofa.devices, config.gsofa.devices);
}

TEST(DevicesOption, RefusalsSayWhatIsAccepted) {
  EXPECT_THAT(refusal({"--devices", "0,0"}), HasSubstr("--devices names 0 twice"));
  for (const char* devices : {"0,one", "-1", "0,1x"}) {
    EXPECT_THAT(refusal({std::string("--devices=") + devices}), HasSubstr("numbers from 0 on"));
  }
  EXPECT_THAT(refusal({"--devices", "1,2", "--device", "0"}), HasSubstr("in place of --device"));
  EXPECT_THAT(refusal({"--devices", "0,1", "--gsofa-virtual", "2x2"}),
              HasSubstr("leave --devices out"));
}

TEST(DevicesOption, DevicesMustBeThere) {
  Machine machine;
  const auto absent = [&machine](const std::string& devices) {
    return find_absent_device(parsed({"--devices", devices}).gsofa, machine);
  };
  EXPECT_EQ(absent("0,1"), "") << "the stage says why it cannot";
  machine.device.emplace();
  EXPECT_THAT(absent("0,1"), HasSubstr("there is no device 1: the machine has 1"));
  machine.other_devices.emplace_back().index = 1;
  EXPECT_EQ(absent("1,0"), "");
}

TEST(DevicesOption, NamesTheStagesThatTakeSeveral) {
  const Catalogue catalogue = make_catalogue();
  const auto refused = [&](const char* mode) -> std::string {
    const RunConfig config = parsed({"--devices", "0,1", "--mode", mode});
    try {
      check_gsofa_options(config.gsofa, catalogue,
                          resolve_chain(catalogue, select_stages(config, catalogue.mode(mode))));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("gsofa"), "");
  EXPECT_THAT(refused("fast"), HasSubstr("accepted: --symbolic gpu-gsofa"));
}

TEST(RanksOption, TheLauncherIsToldHowMany) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(parsed({"--ranks", "3"}).gsofa.launcher_words(), (Words{"mpirun", "-n", "3"}));
  EXPECT_EQ(parsed({"--ranks", "12", "--launcher", "srun  --ntasks={ranks} --mpi=pmix"})
                .gsofa.launcher_words(),
            (Words{"srun", "--ntasks=12", "--mpi=pmix"}));
  const RunConfig config = parsed({"--ranks", "2", "--gsofa-inter", "block"});
  EXPECT_EQ(run_config_from_json(to_json(config)).gsofa.ranks, 2);
  EXPECT_EQ(config.gsofa.search_options().inter, GsofaInter::block);
}

TEST(RanksOption, RefusalsSayWhatIsAccepted) {
  EXPECT_THAT(refusal({"--ranks", "0"}), HasSubstr("accepted: 1 to 4096"));
  EXPECT_THAT(refusal({"--launcher", "mpirun -n {ranks}"}), HasSubstr("say how many"));
  EXPECT_THAT(refusal({"--ranks", "2", "--launcher", "mpirun -n 2"}), HasSubstr("{ranks} in it"));
  EXPECT_THAT(refusal({"--ranks", "2", "--gsofa-virtual", "2x2"}), HasSubstr("leave --ranks out"));
  EXPECT_THAT(refusal({"--ranks", "1", "--gsofa-inter", "block"}), HasSubstr("several nodes"));
  EXPECT_THAT(refusal({"--ranks", "2", "--count-page-faults"}), HasSubstr("leave --ranks out"));
  EXPECT_THAT(refusal({"--ranks", "2", "--count-device-memory"}), HasSubstr("leave --ranks out"));
  EXPECT_THAT(refusal({"--devices", "0,1", "--count-device-memory"}),
              HasSubstr("leave --devices out"));
}

TEST(ExchangeOptions, IsReadAndComesBack) {
  EXPECT_FALSE(parsed({"--ranks", "2"}).gsofa.exchange.has_value());
  for (const ExchangeOption exchange : Choices<ExchangeOption>::values) {
    const std::string name(to_string(exchange));
    const RunConfig config = parsed({"--ranks", "2", "--exchange", name});
    EXPECT_EQ(config.gsofa.exchange, exchange);
    EXPECT_EQ(run_config_from_json(to_json(config)).gsofa.exchange, exchange);
    const bool is_default = exchange == ExchangeOption::automatic;
    EXPECT_EQ(identity_options(config).contains("exchange"), !is_default);
  }
}

TEST(ExchangeOptions, RefusalsSayWhatIsAccepted) {
  EXPECT_THAT(
      [] {
        parsed({"--ranks", "2", "--exchange", "pigeon"});
      },
      testing::ThrowsMessage<std::exception>(HasSubstr("auto, mpi, nccl")));
  EXPECT_THAT(refusal({"--exchange", "nccl"}), HasSubstr("say how many"));
  EXPECT_THAT(refusal({"--ranks", "2", "--exchange", "mpi", "--mode", "none", "--peer",
                       "superlu-dist-par", "--until", "symbolic"}),
              HasSubstr("no peer reads it"));
}

TEST(RanksOption, NamesTheStagesThatTakeSeveral) {
  const Catalogue catalogue = make_catalogue();
  const auto refused = [&](const std::vector<std::string>& words) -> std::string {
    const RunConfig config = parsed(words);
    const Mode& mode = catalogue.mode(config.modes.front());
    try {
      check_gsofa_options(config.gsofa, catalogue,
                          resolve_chain(catalogue, select_stages(config, mode)));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused({"--ranks", "2", "--mode", "cpu"}),
              HasSubstr("accepted: --symbolic cpu-fill2, --symbolic gpu-gsofa"));
  EXPECT_EQ(refused({"--ranks", "2", "--mode", "gsofa"}), "");
  EXPECT_EQ(refused({"--ranks", "2", "--mode", "cpu", "--symbolic", "cpu-fill2", "--gsofa-inter",
                     "block"}),
            "");
  const std::vector<std::string> on_host{"--ranks",    "2",         "--mode",    "cpu",
                                         "--symbolic", "cpu-fill2", "--exchange"};
  const auto exchanging = [&](std::vector<std::string> words, const char* exchange) {
    words.emplace_back(exchange);
    return refused(words);
  };
  EXPECT_THAT(exchanging(on_host, "nccl"), HasSubstr("cpu-fill2 finds its rows on the host"));
  EXPECT_EQ(exchanging(on_host, "mpi"), "");
  EXPECT_EQ(exchanging(on_host, "auto"), "");
  EXPECT_EQ(exchanging({"--ranks", "2", "--mode", "gsofa", "--exchange"}, "nccl"), "");
}

}  // namespace
}  // namespace lufact::test
