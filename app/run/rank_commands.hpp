// SPDX-License-Identifier: BSD-3-Clause
// What the first rank tells the others, as JSON:
//   {"command": "open", ...}     the supervisor's request; each answers with a report
//   {"command": "attend"}        a repetition begins; each answers with an empty report
//   {"command": "assist"}        the stage that they share begins
//   {"command": "release"}       the repetition is over
//   {"command": "end"}
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/run/rank_link.hpp"
#include "app/workload/workload.hpp"

namespace lufact {

// On rank 0. Throws Error where the group is not the one that the request was made for: fewer
// ranks, another build, another matrix file.
void check_ranks(const nlohmann::json& open_request, const RankLink& ranks);
void tell_to_open(RankLink& ranks, const nlohmann::json& open_request);
void tell_to_attend(RankLink& ranks);
void tell_to_assist(RankLink& ranks);
void tell_to_release(RankLink& ranks);
void tell_to_end(RankLink& ranks);

// Hears how much host memory the rank may use from now on.
using HostLimit = std::function<void(std::optional<std::uint64_t>)>;
std::optional<std::uint64_t> host_limit_of(const nlohmann::json& open_request);

// On the others: does what they are told until "end". Throws where the group cannot go on.
void follow_commands(const Workloads& workloads, RankLink& ranks, const HostLimit& limit);

}  // namespace lufact
