// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/peer_description.hpp"

#include "app/config/json_optional.hpp"
#include "app/config/machine_json.hpp"
#include "baselines/peers/peer_plugin.hpp"
#include "core/base/error.hpp"

namespace lufact {

using nlohmann::json;
using nlohmann::ordered_json;

PeerSolver::Options solver_options(const std::string& variant, int threads, int device) {
  return {variant, effective_threads(threads), device};
}

ordered_json describe_peer(const std::string& plugin, bool open, int device) {
  ordered_json answer{{"type", "peer"},
                      {"loaded", false},
                      {"description", nullptr},
                      {"library", nullptr},
                      {"version", nullptr},
                      {"on_device", nullptr},
                      {"variants", json::array()},
                      {"reason", nullptr}};
  try {
    const PeerPlugin loaded(plugin);
    answer["loaded"] = true;
    answer["description"] = loaded.api().description;
    for (std::uint32_t k = 0; k < loaded.api().variant_count; ++k) {
      const lufact_peer_text& variant = loaded.api().variants[k];
      answer["variants"].push_back({{"name", variant.name}, {"description", variant.value}});
    }
    if (!open) return answer;
    const PeerSolver solver(loaded, solver_options("", 0, device));
    const PeerFacts facts = solver.facts();
    answer["library"] = or_null(facts.record.library);
    answer["version"] = or_null(facts.record.version);
    answer["on_device"] = facts.on_device;
  } catch (const Error& error) {
    answer["reason"] = error.what();
  }
  return answer;
}

}  // namespace lufact
