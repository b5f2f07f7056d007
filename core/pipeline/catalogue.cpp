// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/error.hpp"
#include "core/base/suggestion.hpp"

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
  throw UsageError(fmt::format("--{} '{}' is not known{}; accepted: {}", option, name,
                               did_you_mean(name, accepted), fmt::join(accepted, ", ")));
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
    throw UsageError(fmt::format("--solve '{}' is not a method of '{}'{}; accepted: auto, {}",
                                 wanted, numeric.info().name, did_you_mean(wanted, methods),
                                 fmt::join(methods, ", ")));
  }
  return wanted;
}

bool can_pivot(const StageInfo& numeric, Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows || numeric.pivots_in_block;
}

void check_pivoting(const Catalogue& catalogue, const StageInfo& numeric, Pivoting pivoting) {
  if (can_pivot(numeric, pivoting)) return;
  std::vector<std::string> fitting;
  for (const auto& stage : catalogue.numeric) {
    if (stage->info().pivots_in_block) fitting.push_back(stage->info().name);
  }
  if (fitting.empty()) fitting.emplace_back("none");
  throw UsageError(fmt::format(
      "'{}' has static pivoting alone, not --pivoting {}; --numeric values that have it: {}",
      numeric.name, to_string(pivoting), fmt::join(fitting, ", ")));
}

// Null where none that decides so has that name.
const Selector* find_selector(const Catalogue& catalogue, std::string_view decides,
                              std::string_view name) {
  for (const auto& selector : catalogue.selectors) {
    if (selector->decides() == decides && selector->info().name == name) return selector.get();
  }
  return nullptr;
}

const Selector* find_family(const Catalogue& catalogue, const std::string& name) {
  const Selector* selector = find_selector(catalogue, "family", name);
  if (selector != nullptr) return selector;
  throw UsageError(fmt::format("--family '{}' is not known; accepted: {}", name,
                               fmt::join(selector_names(catalogue, "family"), ", ")));
}

// Resolves what stands behind the ordering: one selector after the other, in the order in which
// what they must know becomes known.
class TailResolver {
 public:
  TailResolver(const Catalogue& catalogue, const OrderingStage& ordering)
      : catalogue_(catalogue), ordering_(ordering) {}

  Tail resolve(const StageSelection& selection) const {
    const Selector* selector = next_selector(selection);
    return selector == nullptr ? leaf(selection) : fork(*selector, selection);
  }

 private:
  const Selector* next_selector(const StageSelection& selection) const {
    if (!selection.family.empty()) return find_family(catalogue_, selection.family);
    for (const auto& [decides, name] : {std::pair{"symbolic", &selection.symbolic},
                                        {"numeric", &selection.numeric},
                                        {"numeric", &selection.levelize}}) {
      const Selector* selector = find_selector(catalogue_, decides, *name);
      if (selector != nullptr) return selector;
    }
    return nullptr;
  }

  // Looks the stages up and checks that each fits the one before it.
  Tail leaf(const StageSelection& selection) const {
    Tail tail;
    tail.symbolic = find_stage(catalogue_.symbolic, "symbolic", selection.symbolic,
                               selector_names(catalogue_, "symbolic"));
    tail.levelize = find_stage(catalogue_.levelize, "levelize", selection.levelize,
                               selector_names(catalogue_, "numeric"));
    tail.numeric = find_stage(catalogue_.numeric, "numeric", selection.numeric,
                              selector_names(catalogue_, "numeric"));
    const StageInfo& symbolic = tail.symbolic->info();
    const StageInfo& levelize = tail.levelize->info();
    const StageInfo& numeric = tail.numeric->info();
    check_side(catalogue_, product_types::permuted_matrix, Side::host, symbolic);
    check_side(catalogue_, product_types::permuted_matrix, Side::host, numeric);
    check_link(catalogue_, catalogue_.symbolic, "symbolic", symbolic, levelize, 0);
    check_link(catalogue_, catalogue_.symbolic, "symbolic", symbolic, numeric, 1);
    check_link(catalogue_, catalogue_.levelize, "levelize", levelize, numeric, 2);
    check_pivoting(catalogue_, numeric, selection.pivoting);
    tail.solve = resolve_solve(*tail.numeric, selection.solve);
    const bool composes = selection.auto_postorder && !ordering_.info().given_labels;
    tail.postorder = selection.postorder.value_or(composes && !symbolic.finds_postorder);
    return tail;
  }

  // The candidates that the selection leaves. Where it is one, nothing is chosen.
  Tail fork(const Selector& selector, const StageSelection& selection) const {
    std::vector<Tail> tails;
    for (const Candidate& candidate : selector.candidates()) {
      if (!is_open(selector, candidate.stages, selection)) continue;
      tails.push_back(resolve(with(candidate.stages, selector, selection)));
      tails.back().chosen_as = {name_of(candidate.stages, tails.back()), &candidate};
    }
    if (tails.empty()) throw_nothing_open(selector, selection);
    Tail first = tails.front();
    first.chosen_as = {};
    if (tails.size() == 1) return first;
    first.selector = &selector;
    first.tails = std::move(tails);
    return first;
  }

  // Naming a stage in place of the selector, a method of the solves or pivoting narrows what is
  // open. A family brings stages of its own for all names.
  bool is_open(const Selector& selector, const StageNames& stages,
               const StageSelection& selection) const {
    const auto fits = [&](const std::string& wanted, const std::string& name) {
      return name.empty() || wanted == selector.info().name || wanted == name;
    };
    const bool named =
        selector.decides() == "family" ||
        (fits(selection.symbolic, stages.symbolic) && fits(selection.levelize, stages.levelize) &&
         fits(selection.numeric, stages.numeric));
    if (!named || stages.numeric.empty()) return named;
    const StageInfo& numeric = find_stage(catalogue_.numeric, "numeric", stages.numeric)->info();
    return can_pivot(numeric, selection.pivoting) &&
           (any_method(selection.solve) ||
            std::ranges::count(numeric.solve_methods, selection.solve) > 0);
  }

  static StageSelection with(const StageNames& stages, const Selector& selector,
                             StageSelection selection) {
    if (selector.decides() == "family") selection.family.clear();
    if (!stages.symbolic.empty()) selection.symbolic = stages.symbolic;
    if (!stages.levelize.empty()) selection.levelize = stages.levelize;
    if (!stages.numeric.empty()) selection.numeric = stages.numeric;
    if (stages.postorder) selection.postorder = stages.postorder;
    return selection;
  }

  // Its last stage, for the record; where it brings none, the numeric stage or selector that is
  // planned.
  static std::string name_of(const StageNames& stages, const Tail& tail) {
    if (!stages.numeric.empty()) return stages.numeric;
    if (!stages.symbolic.empty()) return stages.symbolic;
    for (const Tail* open = &tail; open->selector != nullptr; open = &open->tails.front()) {
      if (open->selector->decides() == "numeric") return open->selector->info().name;
    }
    return tail.numeric->info().name;
  }

  [[noreturn]] void throw_nothing_open(const Selector& selector,
                                       const StageSelection& selection) const {
    std::vector<std::string> all;
    for (const Candidate& candidate : selector.candidates()) {
      const StageNames& stages = candidate.stages;
      const auto& info = find_stage(catalogue_.numeric, "numeric", stages.numeric)->info();
      all.push_back(fmt::format("{} with {} and --solve {}", stages.numeric, stages.levelize,
                                fmt::join(info.solve_methods, "|")));
    }
    throw UsageError(
        fmt::format("'{}' has nothing to choose with --levelize {}, --numeric {}, --solve {} and "
                    "--pivoting {}; "
                    "it chooses among: {}; for another numeric stage name its --levelize too",
                    selector.info().name, selection.levelize, selection.numeric,
                    selection.solve.empty() ? "auto" : selection.solve,
                    to_string(selection.pivoting), fmt::join(all, ", ")));
  }

  const Catalogue& catalogue_;
  const OrderingStage& ordering_;
};

// Calls visit(tail) for every way to the end that a run may need the stages of: those that a choice
// opens only where the run has what they need are left out.
template <class Visit>
void each_way(const Tail& tail, const Visit& visit) {
  if (tail.selector == nullptr) visit(tail);
  for (const Tail& next : tail.tails) {
    if (!next.chosen_as.candidate->only_beside_device) each_way(next, visit);
  }
}

// The stages that may run up to `until`, in order.
std::vector<const Stage*> stages_until(const Chain& chain, Until until) {
  std::vector<const Stage*> stages{chain.scaling, chain.ordering};
  each_way(chain.tail, [&](const Tail& way) {
    if (until >= Until::symbolic) stages.push_back(way.symbolic);
    if (until >= Until::levelize) stages.push_back(way.levelize);
    if (until >= Until::numeric) stages.push_back(way.numeric);
  });
  return stages;
}

template <class S>
std::string name_on_host(const std::vector<std::unique_ptr<S>>& stages, const std::string& name) {
  for (const auto& stage : stages) {
    if (stage->info().name == name && !stage->info().on_host.empty()) return stage->info().on_host;
  }
  return name;
}

// Puts the selector's name in place of what the first candidate brings.
void name_selector(const Tail& tail, PipelineRecord& record) {
  const std::string& name = tail.selector->info().name;
  const StageNames& brought = tail.tails.front().chosen_as.candidate->stages;
  const auto put = [&](std::optional<std::string>& stage) {
    if (stage) stage = name;
  };
  if (!brought.symbolic.empty()) put(record.symbolic);
  if (brought.numeric.empty()) return;
  put(record.levelize);
  put(record.numeric);
  put(record.solve);
}

}  // namespace

std::vector<std::string> selector_names(const Catalogue& catalogue, std::string_view decides) {
  std::vector<std::string> names;
  for (const auto& selector : catalogue.selectors) {
    if (selector->decides() == decides) names.push_back(selector->info().name);
  }
  return names;
}

const Mode& Catalogue::mode(std::string_view name) const {
  std::vector<std::string> names;
  for (const Mode& candidate : modes) {
    if (candidate.name == name) return candidate;
    names.push_back(candidate.name);
  }
  throw UsageError(fmt::format("--mode '{}' is not known{}; accepted: auto, {}", name,
                               did_you_mean(name, names), fmt::join(names, ", ")));
}

std::string Catalogue::scaling_on_host(const std::string& name) const {
  return name_on_host(scaling, name);
}

std::string Catalogue::ordering_on_host(const std::string& name) const {
  return name_on_host(ordering, name);
}

PipelineRecord Chain::record(Until until, Precision precision) const {
  return record(tail, until, precision);
}

PipelineRecord Chain::record(const Tail& at, Until until, Precision precision) const {
  PipelineRecord record;
  record.scaling = scaling->info().name;
  record.ordering = ordering->info().name;
  record.postorder = at.postorder;
  if (until >= Until::symbolic) record.symbolic = at.symbolic->info().name;
  if (until >= Until::levelize) {
    record.levelize = at.levelize->info().name;
    // A task graph has no dependency rule.
    if (at.levelize->info().gives == product_types::column_schedule) {
      record.dependency = std::string(to_string(dependency));
    }
  }
  if (until >= Until::numeric) {
    record.numeric = at.numeric->info().name;
    record.precision = std::string(to_string(precision));
  }
  if (until >= Until::solve) record.solve = at.solve;
  for (const Tail* open = &at; open->selector != nullptr; open = &open->tails.front()) {
    name_selector(*open, record);
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

bool Chain::host_may_factor() const {
  bool found = false;
  each_way(tail, [&](const Tail& way) { found |= way.numeric->info().side == Side::host; });
  return found;
}

Chain resolve_chain(const Catalogue& catalogue, const StageSelection& selection) {
  Chain chain;
  chain.scaling = find_stage(catalogue.scaling, "scaling", selection.scaling);
  chain.ordering = find_stage(catalogue.ordering, "ordering", selection.ordering);
  chain.dependency = selection.dependency;
  chain.tail = TailResolver(catalogue, *chain.ordering).resolve(selection);
  return chain;
}

}  // namespace lufact
