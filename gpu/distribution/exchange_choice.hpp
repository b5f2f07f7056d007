// SPDX-License-Identifier: BSD-3-Clause
// By what messages between the devices of several ranks go: every rank decides by the same facts,
// so that all take the same. Without CUDA.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/distribution/exchange_option.hpp"
#include "core/distribution/rank_group.hpp"

namespace lufact::gpu {

// What a rank tells all others. Texts end with a zero.
struct ExchangeFacts {
  std::array<char, 64> device{};  // uuid of its first device
  int nccl_version = 0;           // 0: it has none,
  std::array<char, 256> fault{};  // and why
};
ExchangeFacts exchange_facts(const std::string& device, int nccl_version, const std::string& fault);

// To be called by all ranks; the result, by rank, is the same on each. One that fails before it
// may send a report of that in place of its facts, which rank 0 throws.
std::vector<ExchangeFacts> share_facts(RankGroup& ranks, const ExchangeFacts& own);

struct ExchangeChoice {
  bool nccl = false;
  std::string reason;  // of ExchangeOption::automatic; empty where one was asked for
};
// Throws Error{unsupported} where nccl is asked for and cannot be: "no_nccl" where a rank has none,
// "other_nccl" where versions differ, "ranks_share_device" where two ranks have one device.
ExchangeChoice choose_exchange(ExchangeOption option, std::span<const ExchangeFacts> facts,
                               const RankGroup& ranks);

}  // namespace lufact::gpu
