// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/accepted_names.hpp"

#include <algorithm>

#include "app/config/choices.hpp"
#include "app/config/peer_names.hpp"

namespace lufact {
namespace {

using Names = std::vector<std::string>;

Names joined(Names names, const Names& more) {
  for (const std::string& name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Names mode_names(const Catalogue& catalogue) {
  Names names{"auto"};
  for (const Mode& mode : catalogue.modes) names.push_back(mode.name);
  names.emplace_back("none");
  return names;
}

Names solve_names(const Catalogue& catalogue) {
  Names names{"auto"};
  for (const auto& numeric : catalogue.numeric) {
    names = joined(std::move(names), numeric->info().solve_methods);
  }
  return names;
}

}  // namespace

AcceptedNames accepted_names(const Catalogue& catalogue) {
  const Names back_ends = selector_names(catalogue, "numeric");
  return {
      {"--mode", mode_names(catalogue)},
      {"--peer", joined(all_peer_plugins(PeerKind::solver), {"exec:COMMAND"})},
      {"--scaling", names_of(catalogue.scaling)},
      {"--ordering", names_of(catalogue.ordering)},
      {"--symbolic", joined(names_of(catalogue.symbolic), selector_names(catalogue, "symbolic"))},
      {"--levelize", joined(names_of(catalogue.levelize), back_ends)},
      {"--dependency", spellings<DependencyRule>()},
      {"--numeric", joined(names_of(catalogue.numeric), back_ends)},
      {"--solve", solve_names(catalogue)}};
}

}  // namespace lufact
