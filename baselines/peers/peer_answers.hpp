// SPDX-License-Identifier: BSD-3-Clause
// What plug-ins answer, in our terms.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "baselines/peers/include/lufact_peer.h"

namespace lufact {

// Throws Error with the outcome that a status stands for.
[[noreturn]] void fail_as_peer(std::int32_t status, const std::string& message);

std::string text(const char* from);
std::optional<std::string> optional_text(const char* from);
std::map<std::string, std::string> texts(const lufact_peer_text* from, std::uint32_t count);

// Empty where a plug-in says -1.
template <class To, class From>
std::optional<To> known(From value) {
  return value < 0 ? std::nullopt : std::optional<To>(static_cast<To>(value));
}

}  // namespace lufact
