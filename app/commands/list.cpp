// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/config/array_takes_json.hpp"
#include "app/config/json_optional.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/peer_names.hpp"
#include "app/config/value_checks.hpp"
#include "app/programs/peer_program.hpp"
#include "baselines/peers/known_peers.hpp"
#include "lufact/array_catalogue.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

using nlohmann::ordered_json;

ordered_json stage_to_json(std::string_view kind, const Stage& stage, const Machine& machine) {
  const StageInfo& info = stage.info();
  const Support support = stage.supported(machine);
  auto takes = ordered_json::array();
  for (const ProductType& type : info.takes) takes.push_back(type.name);
  return {{"stage", kind},
          {"name", info.name},
          {"description", info.description},
          {"source", info.source},
          {"side", to_string(info.side)},
          {"deterministic", info.deterministic},
          {"takes", takes},
          {"gives", info.gives.name},
          {"solve_methods", info.solve_methods},
          {"solves_transposed", info.solves_transposed},
          {"pivots_in_block", info.pivots_in_block},
          {"several_devices", info.several_devices},
          {"several_ranks", info.several_ranks},
          {"can_run", support.ok},
          {"reason", support.ok ? ordered_json(nullptr) : ordered_json(support.reason)}};
}

// A stage on dense matrices, and which it takes.
ordered_json array_stage_to_json(const ArrayStage& stage, const Machine& machine) {
  const ArrayStageFacts& facts = stage.facts();
  const Support support = stage.supported(machine);
  ordered_json json{{"workload", facts.workload},       {"name", facts.name},
                    {"description", facts.description}, {"source", facts.source},
                    {"side", to_string(facts.side)},    {"deterministic", facts.deterministic}};
  json.update(array_takes_to_json(facts));
  json["can_run"] = support.ok;
  json["reason"] = support.ok ? ordered_json(nullptr) : ordered_json(support.reason);
  return json;
}

ordered_json array_stages_to_json(const Machine& machine) {
  auto stages = ordered_json::array();
  for (const auto& stage : make_array_stages()) {
    stages.push_back(array_stage_to_json(*stage, machine));
  }
  return stages;
}

// Every peer by the name that --peer takes, its variants after it.
ordered_json peers_to_json(PeerKind kind) {
  auto peers = ordered_json::array();
  for (const std::string& plugin : all_peer_plugins(kind)) {
    const PeerFinding finding = find_peer(kind, plugin, 0);
    const auto add = [&](const std::string& variant, const std::string& description) {
      peers.push_back({{"name", peer_name(plugin, variant)},
                       {"description", description},
                       {"library", or_null(finding.library)},
                       {"version", or_null(finding.version)},
                       {"can_run", !finding.reason.has_value()},
                       {"reason", or_null(finding.reason)}});
    };
    add("", finding.description);
    for (const PeerVariant& variant : finding.variants) add(variant.name, variant.description);
  }
  return peers;
}

ordered_json catalogue_to_json(const Catalogue& catalogue, const Machine& machine) {
  auto stages = ordered_json::array();
  const auto add = [&](std::string_view kind, const auto& list) {
    for (const auto& stage : list) stages.push_back(stage_to_json(kind, *stage, machine));
  };
  add("scaling", catalogue.scaling);
  add("ordering", catalogue.ordering);
  add("symbolic", catalogue.symbolic);
  add("levelize", catalogue.levelize);
  add("numeric", catalogue.numeric);
  add("selector", catalogue.selectors);
  auto modes = ordered_json::array();
  for (const Mode& mode : catalogue.modes) {
    const Chain chain = resolve_chain(catalogue, mode.stages);
    const Support support = chain.supported(machine, Until::solve);
    modes.push_back(
        {{"name", mode.name},
         {"purpose", mode.purpose},
         {"scaling", mode.stages.scaling},
         {"ordering", mode.stages.ordering},
         {"family",
          mode.stages.family.empty() ? ordered_json(nullptr) : ordered_json(mode.stages.family)},
         {"symbolic", mode.stages.symbolic},
         {"dependency", to_string(mode.stages.dependency)},
         {"levelize", mode.stages.levelize},
         {"numeric", mode.stages.numeric},
         {"solve", chain.record(Until::solve, Precision::float64).solve.value_or("")},
         {"can_run", support.ok},
         {"reason", support.ok ? ordered_json(nullptr) : ordered_json(support.reason)}});
  }
  return {{"modes", modes},
          {"stages", stages},
          {"array_stages", array_stages_to_json(machine)},
          {"peers", peers_to_json(PeerKind::solver)},
          {"array_peers", peers_to_json(PeerKind::array)}};
}

// Each reason once: below the first entry that has it, whose name stands for it from then on.
class Reasons {
 public:
  void print(const ordered_json& entry) {
    if (entry.at("can_run").get<bool>()) return;
    const auto name = entry.at("name").get<std::string>();
    const auto [first, is_new] = first_.emplace(entry.at("reason").get<std::string>(), name);
    fmt::print("{:<28} cannot run here{}\n", "",
               is_new ? ": " + first->first : fmt::format(", as {}", first->second));
  }

 private:
  std::map<std::string, std::string> first_;  // the entry that had a reason first
};

void print_peer(const ordered_json& peer, const char* purpose, Reasons& reasons) {
  fmt::print("peer      {:<18} {}{}\n", peer.at("name").get<std::string>(), purpose,
             peer.at("description").get<std::string>());
  reasons.print(peer);
}

// `kind`: the key of what its line begins with.
void print_stage(const ordered_json& stage, const char* kind, bool verbose, Reasons& reasons) {
  fmt::print("{:<9} {:<18} {:<6} {:<17} {}\n", stage.at(kind).get<std::string>(),
             stage.at("name").get<std::string>(), stage.at("side").get<std::string>(),
             stage.at("deterministic").get<bool>() ? "deterministic" : "not deterministic",
             stage.at("description").get<std::string>());
  if (verbose) fmt::print("{:<28} source: {}\n", "", stage.at("source").get<std::string>());
  if (verbose && stage.value("solves_transposed", false)) {
    fmt::print("{:<28} takes: --transpose\n", "");
  }
  reasons.print(stage);
}

std::string joined(const ordered_json& names) {
  return fmt::format("{}", fmt::join(names.get<std::vector<std::string>>(), ", "));
}

void print_array_stage(const ordered_json& stage, bool verbose, Reasons& reasons) {
  print_stage(stage, "workload", verbose, reasons);
  const auto built = stage.at("built_orders").get<std::vector<Index>>();
  fmt::print("{:<28} takes: {}; {}; {}; orders {} to {}{}\n", "", joined(stage.at("operations")),
             joined(stage.at("layouts")), joined(stage.at("precisions")),
             stage.at("least_order").get<Index>(), stage.at("largest_order").get<Index>(),
             built.empty() ? "" : fmt::format(", built: {}", fmt::join(built, ", ")));
}

void print_modes(const ordered_json& list) {
  for (const auto& mode : list.at("modes")) {
    fmt::print("mode {:<11} {}\n", mode.at("name").get<std::string>(),
               mode.at("purpose").get<std::string>());
    fmt::print("     {} -> {} -> {} -> {}/{} -> {} -> {}{}\n",
               mode.at("scaling").get<std::string>(), mode.at("ordering").get<std::string>(),
               mode.at("symbolic").get<std::string>(), mode.at("dependency").get<std::string>(),
               mode.at("levelize").get<std::string>(), mode.at("numeric").get<std::string>(),
               mode.at("solve").get<std::string>(),
               mode.at("can_run").get<bool>() ? "" : "   [cannot run here]");
  }
  const auto first = std::ranges::find_if(
      list.at("modes"), [](const auto& mode) { return mode.at("can_run").template get<bool>(); });
  if (first == list.at("modes").end()) return;
  fmt::print("mode auto        the default: the first of these that can run, here {}\n",
             first->at("name").get<std::string>());
}

void print_stages(const ordered_json& list, bool verbose) {
  Reasons reasons;
  for (const auto& stage : list.at("stages")) print_stage(stage, "stage", verbose, reasons);
  for (const auto& stage : list.at("array_stages")) print_array_stage(stage, verbose, reasons);
}

void print_orderings(const ordered_json& list, bool verbose) {
  Reasons reasons;
  for (const auto& stage : list.at("stages")) {
    if (stage.at("stage") == "ordering") print_stage(stage, "stage", verbose, reasons);
  }
}

void print_peers(const ordered_json& list) {
  Reasons reasons;
  for (const auto& peer : list.at("peers")) print_peer(peer, "", reasons);
  for (const auto& peer : list.at("array_peers")) print_peer(peer, "batch and dense: ", reasons);
  fmt::print("peer      {:<18} any program; see docs/adding-a-peer.md\n", "exec:COMMAND");
}

// `what` is empty for all of it.
void print_text(const ordered_json& list, const std::string& what, bool verbose) {
  const auto wanted = [&](const char* kind) { return what.empty() || what == kind; };
  if (wanted("modes")) print_modes(list);
  if (wanted("stages")) print_stages(list, verbose);
  if (what == "orderings") print_orderings(list, verbose);
  if (wanted("peers")) print_peers(list);
}

// The part of the whole list that `what` names.
ordered_json part_of_list(const ordered_json& list, const std::string& what) {
  if (what == "modes") return {{"modes", list.at("modes")}};
  if (what == "peers")
    return {{"peers", list.at("peers")}, {"array_peers", list.at("array_peers")}};
  if (what == "stages") {
    return {{"stages", list.at("stages")}, {"array_stages", list.at("array_stages")}};
  }
  if (what.empty()) return list;
  ordered_json orderings = ordered_json::array();
  for (const auto& stage : list.at("stages")) {
    if (stage.at("stage") == "ordering") orderings.push_back(stage);
  }
  return {{"orderings", orderings}};
}

}  // namespace

Command add_list_command(CLI::App& app) {
  const std::vector<std::string> kinds{"modes", "orderings", "stages", "peers"};
  const auto json = std::make_shared<bool>(false), verbose = std::make_shared<bool>(false);
  const auto what = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("list", "Every mode and stage, and whether it can run here");
  command->add_option("what", *what, "Only these")
      ->check(one_of(kinds))
      ->type_name("modes|orderings|stages|peers");
  command->add_flag("--json", *json, "As JSON");
  command->add_flag("--verbose", *verbose, "Also the folder of each stage's sources");
  return {command, [json, verbose, what] {
            const Catalogue catalogue = make_catalogue();
            const ordered_json list = catalogue_to_json(catalogue, query_machine_in_child(0));
            if (*json) {
              fmt::print("{}\n", part_of_list(list, *what).dump(2));
            } else {
              print_text(list, *what, *verbose);
            }
            return 0;
          }};
}

}  // namespace lufact
