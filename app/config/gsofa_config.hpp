// SPDX-License-Identifier: BSD-3-Clause
// The options of GSoFa, of supernodes and of the machine that a search is shared on. Empty: the
// default, which is GSoFa's own.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/option.hpp"
#include "core/base/types.hpp"
#include "core/distribution/exchange_option.hpp"
#include "core/pipeline/catalogue.hpp"
#include "core/pipeline/team_sharing.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

inline constexpr int most_ranks = 4096;

struct GsofaConfig {
  SupernodeRule supernodes = SupernodeRule::automatic;
  std::optional<Index> supernode_size;
  std::optional<Index> chunk_size;
  std::optional<std::string> windows, fill_first, layout, concurrency, space;
  std::optional<Offset> queue;
  std::optional<std::uint64_t> budget;
  std::optional<GsofaInter> inter;
  std::optional<GsofaIntra> intra;
  std::optional<TeamSharing> shared;
  std::optional<std::string> simulated;    // NODESxDEVICES
  std::vector<std::string> devices;        // numbers; empty: the one of --device
  std::optional<int> ranks;                // processes; empty: one worker without a launcher
  std::optional<std::string> launcher;     // of ranks
  std::optional<ExchangeOption> exchange;  // among ranks; empty: automatic

  // The options given that no stage but GSoFa's reads, in the order of --help.
  std::vector<std::string> given_for_gsofa() const;
  TeamSharing sharing() const { return shared.value_or(TeamSharing::bits); }
  ExchangeOption exchange_or_auto() const { return exchange.value_or(ExchangeOption::automatic); }
  // What the search is told. Throws UsageError, with what is accepted, on a value that is none or
  // that excludes another.
  GsofaOptions search_options() const;
  // The numbers of `devices`. Throws UsageError where one is none or occurs twice.
  std::vector<int> device_numbers() const;
  // The words that start the ranks, {ranks} filled in; `mpirun -n {ranks}` unless told otherwise.
  std::vector<std::string> launcher_words() const;
  void check() const;  // throws as these

 private:
  void check_ranks() const;
};

void visit_device_options(auto&& option, Is<GsofaConfig> auto& gsofa) {
  option(Option{"--devices", "devices", option_groups::machine,
                "CUDA devices in place of --device, comma-separated, for stages that take several: "
                "the first has the matrix and the result"},
         gsofa.devices, CommaSeparated{"N"});
  option(Option{"--ranks", "ranks", option_groups::machine,
                "MPI processes that share the symbolic step, on one host or several, for stages "
                "that take them; those of one host share out its --devices"},
         gsofa.ranks, between(1, most_ranks, "1 to 4096"));
  option(Option{"--launcher", "launcher", option_groups::machine,
                "What starts the processes of --ranks; lufact-rank is put behind it "
                "[mpirun -n {ranks}]"},
         gsofa.launcher);
  option(Option{"--exchange", "exchange", option_groups::machine,
                "How rows of devices reach the first of --ranks: through the hosts (mpi), or from "
                "device to device (nccl); auto: nccl where every rank has NCCL and a device of its "
                "own [auto]"},
         gsofa.exchange);
}

void visit_supernode_options(auto&& option, Is<GsofaConfig> auto& gsofa) {
  using namespace option_groups;
  option(Option{"--supernodes", "supernodes", stages,
                "Supernodes of rows in the pattern of L + U; auto: t3 in gpu-gsofa, else off"},
         gsofa.supernodes);
  option(Option{"--supernode-size", "supernode_size", stages,
                "Rows of the largest supernode behind another stage than gpu-gsofa [128]"},
         gsofa.supernode_size, at_least(1, "1 to 1024"));
}

// Those of the search itself.
void visit_search_options(auto&& option, Is<GsofaConfig> auto& gsofa) {
  using namespace option_groups;
  const OneOf on_off{{"on", "off"}};
  option(Option{"--gsofa-chunk-size", "gsofa_chunk_size", stages,
                "gpu-gsofa: rows of a chunk, which is the largest supernode [128]"},
         gsofa.chunk_size, at_least(1, "1 to 1024"));
  option(
      Option{"--gsofa-windows", "gsofa_windows", stages,
             "gpu-gsofa: value windows, so that maxId need not be set anew for every source [on]"},
      gsofa.windows, on_off);
  option(Option{"--gsofa-fill-first", "gsofa_fill_first", stages,
                "gpu-gsofa: look at fill before maxId, line 9.5 [off]"},
         gsofa.fill_first, on_off);
  option(Option{"--gsofa-layout", "gsofa_layout", stages,
                "gpu-gsofa: maxId and fill of the paper, or in one array [paper]"},
         gsofa.layout, OneOf{{"paper", "merged"}});
  option(Option{"--gsofa-concurrency", "gsofa_concurrency", stages,
                "gpu-gsofa: sources in flight: auto, paper or a number [auto]"},
         gsofa.concurrency);
  option(Option{"--gsofa-space", "gsofa_space", stages,
                "gpu-gsofa: all, none, or a list of external, bubbles, dynamic [all]"},
         gsofa.space);
  option(Option{"--gsofa-queue", "gsofa_queue", stages,
                "gpu-gsofa: entries of a frontier queue [what the budget leaves]"},
         gsofa.queue, at_least(1, "1 or more"));
  option(Option{"--gsofa-budget", "gsofa_budget", stages,
                "gpu-gsofa: bytes of the array of maxId, fill and queues, such as 1GB; none: half "
                "of what --device-memory-limit leaves"},
         gsofa.budget, ByteSize{});
  option(Option{"--gsofa-intra", "gsofa_intra", stages,
                "gpu-gsofa on several devices: rows of a chunk dealt to them one by one, or chunks "
                "whole [rows]"},
         gsofa.intra);
  option(Option{"--gsofa-inter", "gsofa_inter", stages,
                "gpu-gsofa on several nodes, and all --ranks: chunks dealt to them one by one, or "
                "a run of chunks "
                "for each [interleave]"},
         gsofa.inter);
  option(Option{"--gsofa-shared", "gsofa_shared", stages,
                "gpu-gsofa on several devices: supernodes across them are found in bits that they "
                "copy, or in fill arrays in managed memory, as published (um-separate) [bits]"},
         gsofa.shared);
  option(Option{"--gsofa-virtual", "gsofa_virtual", stages,
                "gpu-gsofa: NODESxDEVICES of a machine that is not there, such as 6x6; its slices "
                "run one after the other on one device, each timed alone"},
         gsofa.simulated);
}

void visit_gsofa_options(auto&& option, Is<GsofaConfig> auto& gsofa) {
  visit_supernode_options(option, gsofa);
  visit_search_options(option, gsofa);
}

// Throws UsageError where an option is given that the stages of `chain` do not read, so that none
// is ignored in silence.
void check_gsofa_options(const GsofaConfig& gsofa, const Catalogue& catalogue, const Chain& chain);
// Says which of --devices is not there although `machine` has some; empty where all are.
std::string find_absent_device(const GsofaConfig& gsofa, const Machine& machine);

// Puts them into what the stages of `chain` are told; `auto` is resolved.
void tell_gsofa_options(const GsofaConfig& gsofa, const Catalogue& catalogue, const Chain& chain,
                        StageOptions& options);

}  // namespace lufact
