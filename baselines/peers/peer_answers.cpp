// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/peer_answers.hpp"

#include "core/base/error.hpp"

namespace lufact {

void fail_as_peer(std::int32_t status, const std::string& message) {
  switch (status) {
    case LUFACT_PEER_UNSUPPORTED:
      throw Error(Outcome::unsupported, "peer_unavailable", message);
    case LUFACT_PEER_SINGULAR_STRUCTURAL:
      throw Error(Outcome::singular_structural, "structurally_singular", message);
    case LUFACT_PEER_SINGULAR_NUMERIC:
      throw Error(Outcome::singular_numeric, "numerically_singular", message);
    case LUFACT_PEER_OOM_HOST:
      throw Error(Outcome::oom_host, "host_out_of_memory", message);
    case LUFACT_PEER_OOM_DEVICE:
      throw Error(Outcome::oom_device, "device_out_of_memory", message);
    default:
      throw Error(Outcome::error, "peer_failed", message);
  }
}

std::string text(const char* from) {
  return from == nullptr ? std::string() : std::string(from);
}

std::optional<std::string> optional_text(const char* from) {
  return from == nullptr ? std::nullopt : std::optional<std::string>(from);
}

std::map<std::string, std::string> texts(const lufact_peer_text* from, std::uint32_t count) {
  std::map<std::string, std::string> result;
  for (std::uint32_t k = 0; k < count; ++k) result[text(from[k].name)] = text(from[k].value);
  return result;
}

}  // namespace lufact
