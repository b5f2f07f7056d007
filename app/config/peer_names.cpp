// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/peer_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "app/config/array_takes_json.hpp"
#include "app/config/json_optional.hpp"
#include "app/process/child_process.hpp"
#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/plugin_files.hpp"
#include "core/base/error.hpp"
#include "core/base/suggestion.hpp"

namespace lufact {
namespace {

using nlohmann::json;

constexpr std::string_view exec_prefix = "exec:";

PeerFinding finding_from(const std::string& plugin, const json& answer) {
  PeerFinding finding;
  finding.plugin = plugin;
  finding.loaded = answer.at("loaded").get<bool>();
  if (!answer.at("description").is_null()) {
    finding.description = answer.at("description").get<std::string>();
  }
  read_optional(answer, "library", finding.library);
  read_optional(answer, "version", finding.version);
  read_optional(answer, "reason", finding.reason);
  if (!answer.at("takes").is_null()) {
    finding.takes.emplace().name = plugin;
    array_takes_from_json(answer.at("takes"), *finding.takes);
  }
  answer.at("warnings").get_to(finding.warnings);
  for (const json& variant : answer.at("variants")) {
    finding.variants.push_back(
        {variant.at("name").get<std::string>(), variant.at("description").get<std::string>()});
  }
  return finding;
}

// Each plug-in is asked once: a sweep names it for every matrix.
const PeerFinding& known_finding(PeerKind kind, const std::string& plugin) {
  static std::map<std::pair<PeerKind, std::string>, PeerFinding> findings;
  const auto key = std::pair(kind, plugin);
  const auto found = findings.find(key);
  if (found != findings.end()) return found->second;
  return findings.emplace(key, query_peer_in_child(kind, plugin, false, 0)).first->second;
}

// " (...)" where the name stands for something else that runs; `kind` is that which was asked for.
std::string other_meaning(PeerKind kind, const PeerName& name) {
  if (kind == PeerKind::solver && find_known_peer(PeerKind::array, name.plugin) != nullptr) {
    return " (a library of lufact batch and lufact dense)";
  }
  if (kind == PeerKind::array && find_known_peer(PeerKind::solver, name.plugin) != nullptr) {
    return " (a solver of lufact run)";
  }
  return "";
}

void check_peer(PeerKind kind, const std::string& peer) {
  if (kind == PeerKind::solver && is_peer_program(peer)) return;
  const PeerName name = parse_peer_name(peer);
  if (find_known_peer(kind, name.plugin) == nullptr && !find_peer_plugin(kind, name.plugin)) {
    const std::vector<std::string> known = all_peer_plugins(kind);
    const std::string other = other_meaning(kind, name);
    throw UsageError(fmt::format(
        "--peer '{}' is not known{}; accepted: {}, {}or a plug-in in a folder of LUFACT_PEER_PATH",
        peer, other.empty() ? did_you_mean(peer, known) : other, fmt::join(known, ", "),
        kind == PeerKind::solver ? "exec:COMMAND, " : ""));
  }
  if (name.variant.empty()) return;
  const PeerFinding& finding = known_finding(kind, name.plugin);
  if (!finding.loaded) return;
  std::vector<std::string> accepted{name.plugin};
  for (const PeerVariant& variant : finding.variants) {
    if (variant.name == name.variant) return;
    accepted.push_back(peer_name(name.plugin, variant.name));
  }
  throw UsageError(fmt::format("--peer '{}' is not known{}; accepted: {}", peer,
                               did_you_mean(peer, accepted), fmt::join(accepted, ", ")));
}

}  // namespace

std::vector<std::string> split_peers(const std::string& argument) {
  std::vector<std::string> peers;
  for (std::size_t at = 0; at <= argument.size();) {
    std::size_t end = argument.find(',', at);
    if (end == std::string::npos || argument.compare(at, exec_prefix.size(), exec_prefix) == 0) {
      end = argument.size();
    }
    peers.push_back(argument.substr(at, end - at));
    at = end + 1;
  }
  return peers;
}

std::optional<std::string> external_command(const std::string& peer) {
  if (!peer.starts_with(exec_prefix)) return std::nullopt;
  return peer.substr(exec_prefix.size());
}

PeerFinding query_peer_in_child(PeerKind kind, const std::string& plugin, bool open, int device) {
  constexpr auto limit = std::chrono::seconds(60);
  ChildProcess child({"worker"});
  child.send(json{
      {"command", "peer"},
      {"arrays", kind == PeerKind::array},
      {"plugin", plugin},
      {"open", open},
      {"device",
       device}}.dump());
  const ChildProcess::Limits limits{std::chrono::steady_clock::now() + limit, std::nullopt,
                                    nullptr};
  PeerFinding finding;
  finding.plugin = plugin;
  std::string line;
  switch (child.next_line(limits, line)) {
    case ChildProcess::Wait::line: {
      const json message = json::parse(line);
      if (message.at("type") == "peer") {
        finding = finding_from(plugin, message);
      } else {
        finding.reason = message.at("message").get<std::string>();
      }
      break;
    }
    case ChildProcess::Wait::timed_out:
      finding.reason = "opening it did not end within 60 s";
      break;
    default:
      finding.reason = "opening it ended the process with " + child.ending();
  }
  if (const KnownPeer* known = find_known_peer(kind, parse_peer_name(plugin).plugin);
      known && finding.description.empty()) {
    finding.description = known->description;
  }
  return finding;
}

std::optional<ArrayStageFacts> array_peer_takes(const std::string& peer, int device) {
  static std::map<std::string, std::optional<ArrayStageFacts>> known;
  const auto found = known.find(peer);
  if (found != known.end()) return found->second;
  return known.emplace(peer, query_peer_in_child(PeerKind::array, peer, true, device).takes)
      .first->second;
}

std::vector<std::string> all_peer_plugins(PeerKind kind) {
  std::vector<std::string> names;
  for (const KnownPeer& peer : known_peers(kind)) names.emplace_back(peer.plugin);
  if (kind == PeerKind::solver) {
    for (const KnownPeer& peer : known_peers(PeerKind::program)) names.emplace_back(peer.plugin);
  }
  for (std::string& plugin : installed_peer_plugins(kind)) {
    if (find_known_peer(kind, plugin) == nullptr) names.push_back(std::move(plugin));
  }
  return names;
}

void check_peers(PeerKind kind, const std::vector<std::string>& peers) {
  for (const std::string& peer : peers) {
    const auto command = external_command(peer);
    if (!command || kind == PeerKind::array) {
      check_peer(kind, peer);
    } else if (command->find_first_not_of(' ') == std::string::npos) {
      throw UsageError("--peer exec: needs a command, as in --peer 'exec:./solve {matrix}'");
    }
  }
}

}  // namespace lufact
