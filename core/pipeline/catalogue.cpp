// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/error.hpp"

namespace lufact {
namespace {

template <class S>
const S* find_stage(const std::vector<std::unique_ptr<S>>& stages, std::string_view option,
                    std::string_view name, const std::vector<std::string>& selectors = {}) {
  for (const auto& stage : stages) {
    if (stage->info().name == name) return stage.get();
  }
  std::vector<std::string> accepted = names_of(stages);
  accepted.insert(accepted.end(), selectors.begin(), selectors.end());
  throw UsageError(
      fmt::format("--{} '{}' is not known; accepted: {}", option, name, fmt::join(accepted, ", ")));
}

// Names of the stages whose product has this type.
template <class S>
std::vector<std::string> givers(const std::vector<std::unique_ptr<S>>& stages, ProductType type) {
  std::vector<std::string> names;
  for (const auto& stage : stages) {
    if (stage->info().gives == type) names.push_back(stage->info().name);
  }
  if (names.empty()) names.emplace_back("none");
  return names;
}

// One link of the chain: `giver` (or preprocessing) hands a product of `type` to `taker`.
void check_side(const Catalogue& catalogue, ProductType type, Side from, const StageInfo& taker) {
  if (from == taker.side || catalogue.find_transfer(type, from, taker.side) != nullptr) return;
  throw UsageError(fmt::format("'{}' works on the {}, and nothing brings a {} there from the {}",
                               taker.name, to_string(taker.side), type.name, to_string(from)));
}

template <class S>
void check_link(const Catalogue& catalogue, const std::vector<std::unique_ptr<S>>& givers_list,
                std::string_view option, const StageInfo& giver, const StageInfo& taker,
                std::size_t slot) {
  const ProductType wanted = taker.takes.at(slot);
  if (!(giver.gives == wanted)) {
    throw UsageError(
        fmt::format("'{}' gives a {}, but '{}' takes a {}; --{} values that would fit: {}",
                    giver.name, giver.gives.name, taker.name, wanted.name, option,
                    fmt::join(givers(givers_list, wanted), ", ")));
  }
  check_side(catalogue, wanted, giver.side, taker);
}

bool any_method(const std::string& wanted) {
  return wanted.empty() || wanted == "auto";
}

std::string resolve_solve(const NumericStage& numeric, const std::string& wanted) {
  const auto& methods = numeric.info().solve_methods;
  if (any_method(wanted)) return methods.front();
  if (std::find(methods.begin(), methods.end(), wanted) == methods.end()) {
    throw UsageError(fmt::format("--solve '{}' is not a method of '{}'; accepted: auto, {}", wanted,
                                 numeric.info().name, fmt::join(methods, ", ")));
  }
  return wanted;
}

bool can_pivot(const StageInfo& numeric, Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows || numeric.exchanges_rows;
}

void check_pivoting(const Catalogue& catalogue, const StageInfo& numeric, Pivoting pivoting) {
  if (can_pivot(numeric, pivoting)) return;
  std::vector<std::string> fitting;
  for (const auto& stage : catalogue.numeric) {
    if (stage->info().exchanges_rows) fitting.push_back(stage->info().name);
  }
  if (fitting.empty()) fitting.emplace_back("none");
  throw UsageError(fmt::format(
      "'{}' has static pivoting alone, not --pivoting {}; --numeric values that have it: {}",
      numeric.name, to_string(pivoting), fmt::join(fitting, ", ")));
}

// Whatever may be chosen.
std::vector<const SymbolicStage*> symbolics_of(const Chain& chain) {
  return chain.symbolics.empty() ? std::vector{chain.symbolic} : chain.symbolics;
}

// Looks up the stages behind those of `symbolics` and checks that they fit each.
BackEnd resolve_back_end(const Catalogue& catalogue,
                         std::span<const SymbolicStage* const> symbolics, const BackEndNames& names,
                         const StageSelection& selection) {
  BackEnd result;
  result.levelize = find_stage(catalogue.levelize, "levelize", names.levelize);
  result.numeric = find_stage(catalogue.numeric, "numeric", names.numeric);
  const StageInfo& levelize = result.levelize->info();
  const StageInfo& numeric = result.numeric->info();
  check_side(catalogue, product_types::permuted_matrix, Side::host, numeric);
  for (const SymbolicStage* symbolic : symbolics) {
    check_link(catalogue, catalogue.symbolic, "symbolic", symbolic->info(), levelize, 0);
    check_link(catalogue, catalogue.symbolic, "symbolic", symbolic->info(), numeric, 1);
  }
  check_link(catalogue, catalogue.levelize, "levelize", levelize, numeric, 2);
  check_pivoting(catalogue, numeric, selection.pivoting);
  result.solve = resolve_solve(*result.numeric, selection.solve);
  return result;
}

// Null where no selector has that name.
template <class S>
const S* find_selector(const std::vector<std::unique_ptr<S>>& selectors, std::string_view name) {
  for (const auto& selector : selectors) {
    if (selector->info().name == name) return selector.get();
  }
  return nullptr;
}

// The symbolic stage, or what is to be chosen among.
void resolve_symbolic(const Catalogue& catalogue, const std::string& name, Chain& chain) {
  chain.symbolic_selector = find_selector(catalogue.symbolic_selectors, name);
  if (chain.symbolic_selector == nullptr) {
    chain.symbolic =
        find_stage(catalogue.symbolic, "symbolic", name, names_of(catalogue.symbolic_selectors));
  } else {
    for (const std::string& candidate : chain.symbolic_selector->candidates()) {
      chain.symbolics.push_back(find_stage(catalogue.symbolic, "symbolic", candidate));
    }
    chain.symbolic = chain.symbolics.front();
  }
  for (const SymbolicStage* symbolic : symbolics_of(chain)) {
    check_side(catalogue, product_types::permuted_matrix, Side::host, symbolic->info());
  }
}

// The candidates of `selector` that the selection leaves. Throws UsageError where there is none.
std::vector<BackEnd> resolve_candidates(const Catalogue& catalogue, const BackEndSelector& selector,
                                        std::span<const SymbolicStage* const> symbolics,
                                        const StageSelection& selection) {
  const auto open = [&](const std::string& wanted, const std::string& name) {
    return wanted == selector.info().name || wanted == name;
  };
  std::vector<BackEnd> left;
  std::vector<std::string> all;
  for (const BackEndNames& names : selector.candidates()) {
    const auto& methods = find_stage(catalogue.numeric, "numeric", names.numeric)->info();
    all.push_back(fmt::format("{} with {} and --solve {}", names.numeric, names.levelize,
                              fmt::join(methods.solve_methods, "|")));
    const bool solves =
        any_method(selection.solve) ||
        std::count(methods.solve_methods.begin(), methods.solve_methods.end(), selection.solve) > 0;
    if (!solves || !can_pivot(methods, selection.pivoting) ||
        !open(selection.levelize, names.levelize) || !open(selection.numeric, names.numeric)) {
      continue;
    }
    left.push_back(resolve_back_end(catalogue, symbolics, names, selection));
  }
  if (left.empty()) {
    throw UsageError(
        fmt::format("'{}' has nothing to choose with --levelize {}, --numeric {}, --solve {} and "
                    "--pivoting {}; "
                    "it chooses among: {}; for another numeric stage name its --levelize too",
                    selector.info().name, selection.levelize, selection.numeric,
                    selection.solve.empty() ? "auto" : selection.solve,
                    to_string(selection.pivoting), fmt::join(all, ", ")));
  }
  return left;
}

// The stages that run up to `until`, in order.
std::vector<const Stage*> stages_until(const Chain& chain, Until until) {
  std::vector<const Stage*> stages{chain.scaling, chain.ordering};
  if (until >= Until::symbolic) stages.push_back(chain.symbolic);
  const auto add = [&](const BackEnd& back_end) {
    if (until >= Until::levelize) stages.push_back(back_end.levelize);
    if (until >= Until::numeric) stages.push_back(back_end.numeric);
  };
  if (chain.selector == nullptr) add(chain.back_end);
  for (const BackEnd& candidate : chain.back_ends) add(candidate);
  return stages;
}

Chain resolve_stages(const Catalogue& catalogue, const StageSelection& selection) {
  Chain chain;
  chain.scaling = find_stage(catalogue.scaling, "scaling", selection.scaling);
  chain.ordering = find_stage(catalogue.ordering, "ordering", selection.ordering);
  resolve_symbolic(catalogue, selection.symbolic, chain);
  chain.dependency = selection.dependency;
  chain.postorder = selection.postorder.value_or(selection.auto_postorder &&
                                                 !chain.ordering->info().given_labels);
  const auto symbolics = symbolics_of(chain);
  const BackEndSelector* selector = find_selector(catalogue.back_ends, selection.numeric);
  if (selector == nullptr) selector = find_selector(catalogue.back_ends, selection.levelize);
  if (selector == nullptr) {
    chain.back_end =
        resolve_back_end(catalogue, symbolics, {selection.levelize, selection.numeric}, selection);
    return chain;
  }
  std::vector<BackEnd> left = resolve_candidates(catalogue, *selector, symbolics, selection);
  chain.back_end = left.front();
  if (left.size() > 1) {
    chain.selector = selector;
    chain.back_ends = std::move(left);
  }
  return chain;
}

// The stages of the mode that `selector` may take, behind the ordering of `selection`.
Chain resolve_other_family(const Catalogue& catalogue, const FamilySelector& selector,
                           const StageSelection& selection) {
  StageSelection stages = catalogue.mode(selector.other_mode()).stages;
  stages.scaling = selection.scaling;
  stages.ordering = selection.ordering;
  stages.dependency = selection.dependency;
  return resolve_stages(catalogue, stages);
}

}  // namespace

const Transfer* Catalogue::find_transfer(ProductType type, Side from, Side to) const noexcept {
  for (const auto& transfer : transfers) {
    if (transfer->type() == type && transfer->from() == from && transfer->to() == to) {
      return transfer.get();
    }
  }
  return nullptr;
}

const ProductHandler* Catalogue::find_handler(ProductType type) const noexcept {
  for (const auto& handler : handlers) {
    if (handler->type() == type) return handler.get();
  }
  return nullptr;
}

const Mode& Catalogue::mode(std::string_view name) const {
  std::vector<std::string> names;
  for (const Mode& candidate : modes) {
    if (candidate.name == name) return candidate;
    names.push_back(candidate.name);
  }
  throw UsageError(
      fmt::format("--mode '{}' is not known; accepted: auto, {}", name, fmt::join(names, ", ")));
}

PipelineRecord Chain::record(Until until, Precision precision) const {
  PipelineRecord record;
  record.scaling = scaling->info().name;
  record.ordering = ordering->info().name;
  record.postorder = postorder;
  if (until >= Until::symbolic) record.symbolic = symbolic->info().name;
  if (until >= Until::levelize) {
    record.levelize = back_end.levelize->info().name;
    // A task graph has no dependency rule.
    if (back_end.levelize->info().gives == product_types::column_schedule) {
      record.dependency = std::string(to_string(dependency));
    }
  }
  if (until >= Until::numeric) {
    record.numeric = back_end.numeric->info().name;
    record.precision = std::string(to_string(precision));
  }
  if (until >= Until::solve) record.solve = back_end.solve;
  if (record.symbolic && symbolic_selector != nullptr) {
    record.symbolic = symbolic_selector->info().name;
  }
  if (selector == nullptr) return record;
  for (auto* const name : {&record.levelize, &record.numeric, &record.solve}) {
    if (*name) *name = selector->info().name;
  }
  return record;
}

Support Chain::supported(const Machine& machine, Until until) const {
  for (const Stage* stage : stages_until(*this, until)) {
    Support support = stage->supported(machine);
    if (!support.ok) {
      support.reason = fmt::format("'{}' cannot run here: {}", stage->info().name, support.reason);
      return support;
    }
  }
  return {};
}

bool Chain::uses_device(Until until) const {
  const auto stages = stages_until(*this, until);
  return std::any_of(stages.begin(), stages.end(),
                     [](const Stage* stage) { return stage->info().side == Side::device; });
}

Chain resolve_chain(const Catalogue& catalogue, const StageSelection& selection) {
  Chain chain = resolve_stages(catalogue, selection);
  if (selection.family.empty()) return chain;
  chain.family_selector = find_stage(catalogue.family_selectors, "family", selection.family);
  chain.other_family = std::make_shared<const Chain>(
      resolve_other_family(catalogue, *chain.family_selector, selection));
  return chain;
}

}  // namespace lufact
