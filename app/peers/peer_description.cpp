// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/peer_description.hpp"

#include "app/config/array_takes_json.hpp"
#include "app/config/json_optional.hpp"
#include "app/config/machine_json.hpp"
#include "baselines/peers/array_peer.hpp"
#include "baselines/peers/peer_plugin.hpp"
#include "core/base/error.hpp"

namespace lufact {

using nlohmann::json;
using nlohmann::ordered_json;

PeerSolver::Options solver_options(const std::string& variant, int threads, int device) {
  return {variant, effective_threads(threads), device};
}

namespace {

// What any plug-in's table of functions says.
void add_api(ordered_json& answer, const auto& api) {
  answer["loaded"] = true;
  answer["description"] = api.description;
  for (std::uint32_t k = 0; k < api.variant_count; ++k) {
    const lufact_peer_text& variant = api.variants[k];
    answer["variants"].push_back({{"name", variant.name}, {"description", variant.value}});
  }
}

void add_library(ordered_json& answer, const PeerRecord& record, bool on_device) {
  answer["library"] = or_null(record.library);
  answer["version"] = or_null(record.version);
  answer["on_device"] = on_device;
}

void add_warnings(ordered_json& answer, const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) answer["warnings"].push_back(warning.message);
}

void add_solver(ordered_json& answer, const PeerName& name, bool open, int device) {
  const PeerPlugin loaded(name.plugin);
  add_api(answer, loaded.api());
  if (!open) return;
  const PeerFacts facts = PeerSolver(loaded, solver_options(name.variant, 0, device)).facts();
  add_library(answer, facts.record, facts.on_device);
  add_warnings(answer, facts.warnings);
}

void add_arrays(ordered_json& answer, const PeerName& name, bool open, int device) {
  const ArrayPeerPlugin loaded(name.plugin);
  add_api(answer, loaded.api());
  if (!open) return;
  const ArrayPeerFacts facts =
      ArrayPeer(loaded, {name.variant, effective_threads(0), device}).facts();
  answer["takes"] = array_takes_to_json(facts.takes);
  add_library(answer, facts.record, facts.takes.side == Side::device);
  add_warnings(answer, facts.warnings);
}

}  // namespace

ordered_json describe_peer(PeerKind kind, const std::string& plugin, bool open, int device) {
  ordered_json answer{{"type", "peer"},
                      {"loaded", false},
                      {"description", nullptr},
                      {"library", nullptr},
                      {"version", nullptr},
                      {"on_device", nullptr},
                      {"variants", json::array()},
                      {"takes", nullptr},
                      {"warnings", json::array()},
                      {"reason", nullptr}};
  try {
    (kind == PeerKind::solver ? add_solver : add_arrays)(answer, parse_peer_name(plugin), open,
                                                         device);
  } catch (const Error& error) {
    answer["reason"] = error.what();
  }
  return answer;
}

}  // namespace lufact
