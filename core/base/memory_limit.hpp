// SPDX-License-Identifier: BSD-3-Clause
// How much memory of the host a program may use. A machine may have more: a container or a batch
// system ends what goes beyond its limit.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lufact {

// Bytes that the control groups of this process allow; empty: no limit.
std::optional<std::uint64_t> memory_limit();

// The smallest limit on the way from `group`, a line of /proc/PID/cgroup, up to the root of its
// hierarchy below `mounts`: memory.max, or memory.limit_in_bytes of the first version.
std::optional<std::uint64_t> memory_limit_of_group(const std::string& group,
                                                   const std::filesystem::path& mounts);

// On the same way, the smallest limit less what all in its group use; empty: no limit.
std::optional<std::uint64_t> memory_room_of_group(const std::string& group,
                                                  const std::filesystem::path& mounts);

// The smaller of what a user allows and memory_limit(); empty: neither limits.
std::optional<std::uint64_t> memory_limit_with(const std::optional<std::uint64_t>& given);

// What is installed, and not more than memory_limit(); 0: not known.
std::uint64_t usable_memory();

// What can be allocated now without others being swapped out, and not more than the groups of this
// process leave; 0: not known.
std::uint64_t available_memory();

}  // namespace lufact
