// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/distribution/exchange_choice.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/distribution/rank_exchange.hpp"
#include "gpu/distribution/nccl_library.hpp"

namespace lufact::gpu {
namespace {

struct Obstacle {
  const char* code;
  std::string message, advice;
};

std::string name_of(const RankGroup& ranks, std::size_t rank) {
  return fmt::format("rank {} on {}", rank, ranks.host(static_cast<Index>(rank)));
}

std::optional<Obstacle> find_missing_library(std::span<const ExchangeFacts> facts,
                                             const RankGroup& ranks) {
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    if (facts[rank].nccl_version > 0) continue;
    return Obstacle{
        "no_nccl",
        fmt::format("{} has no NCCL: {}", name_of(ranks, rank), facts[rank].fault.data()),
        nccl_advice()};
  }
  return std::nullopt;
}

std::optional<Obstacle> find_other_version(std::span<const ExchangeFacts> facts,
                                           const RankGroup& ranks) {
  const int first = facts.front().nccl_version;
  for (std::size_t rank = 1; rank < facts.size(); ++rank) {
    if (facts[rank].nccl_version == first) continue;
    return Obstacle{
        "other_nccl",
        fmt::format("{} has NCCL {}, the first rank {}", name_of(ranks, rank),
                    nccl_version_text(facts[rank].nccl_version), nccl_version_text(first)),
        "put the same NCCL on every host, or use --exchange mpi"};
  }
  return std::nullopt;
}

std::optional<Obstacle> find_shared_device(std::span<const ExchangeFacts> facts,
                                           const RankGroup& ranks) {
  std::map<std::string, std::size_t> owners;
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    const auto [owner, is_new] = owners.emplace(facts[rank].device.data(), rank);
    if (is_new) continue;
    return Obstacle{"ranks_share_device",
                    fmt::format("{} and {} have the same device, {}", name_of(ranks, owner->second),
                                name_of(ranks, rank), facts[rank].device.data()),
                    "give each rank a device of its own by --devices, or use --exchange mpi"};
  }
  return std::nullopt;
}

std::optional<Obstacle> find_obstacle(std::span<const ExchangeFacts> facts,
                                      const RankGroup& ranks) {
  for (const auto& find : {find_missing_library, find_other_version, find_shared_device}) {
    if (auto obstacle = find(facts, ranks)) return obstacle;
  }
  return std::nullopt;
}

}  // namespace

ExchangeFacts exchange_facts(const std::string& device, int nccl_version,
                             const std::string& fault) {
  ExchangeFacts facts;
  device.copy(facts.device.data(), facts.device.size() - 1);
  facts.nccl_version = nccl_version;
  fault.copy(facts.fault.data(), facts.fault.size() - 1);
  return facts;
}

std::vector<ExchangeFacts> share_facts(RankGroup& ranks, const ExchangeFacts& own) {
  std::vector<ExchangeFacts> facts(at(ranks.size()));
  facts[at(ranks.rank())] = own;
  if (ranks.rank() > 0) {
    ranks.send_report({});
    ranks.send(0, &own, sizeof(own));
  } else {
    collect_reports(ranks);
    for (Index rank = 1; rank < ranks.size(); ++rank) {
      ranks.receive(rank, &facts[at(rank)], sizeof(own));
    }
  }
  ranks.broadcast(facts.data(), facts.size() * sizeof(own));
  return facts;
}

ExchangeChoice choose_exchange(ExchangeOption option, std::span<const ExchangeFacts> facts,
                               const RankGroup& ranks) {
  if (option == ExchangeOption::mpi) return {};
  const std::optional<Obstacle> obstacle = find_obstacle(facts, ranks);
  if (option == ExchangeOption::nccl) {
    if (!obstacle) return {true, ""};
    throw Error(Outcome::unsupported, obstacle->code,
                fmt::format("--exchange nccl: {}; {}", obstacle->message, obstacle->advice));
  }
  if (facts.size() == 1) return {false, "one rank has nothing to send"};
  if (obstacle) return {false, "not nccl: " + obstacle->message};
  return {true, fmt::format("every rank has NCCL {} and a device of its own",
                            nccl_version_text(facts.front().nccl_version))};
}

}  // namespace lufact::gpu
