// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: every stage, transfer, product handler and mode there is. It is filled in one
// place (lufact/catalogue.cpp) and looked up by name; nothing registers itself.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/pivot_delay.hpp"
#include "core/pipeline/product_handler.hpp"
#include "core/pipeline/selector.hpp"
#include "core/pipeline/stage.hpp"
#include "core/pipeline/supernode_finder.hpp"
#include "core/pipeline/systems.hpp"

namespace lufact {

// The stages of a run by name. An empty solve takes the numeric stage's default.
struct StageSelection {
  std::string scaling = "mc64", ordering = "amd";
  std::string symbolic, levelize, numeric, solve;
  DependencyRule dependency = DependencyRule::exact;
  Pivoting pivoting = Pivoting::fixed_rows;
  bool auto_postorder = false;  // what `auto` means, where the ordering is not one of given labels
  std::optional<bool> postorder;  // `on` or `off`; empty: `auto`
  std::string family;             // a selector; empty: the family is that of the stages
  std::string systems_numeric;    // in place of `numeric` for many systems; empty: the same
};

// A named preset of stages.
struct Mode {
  std::string name, purpose;
  StageSelection stages;
};

struct Catalogue {
  std::vector<std::unique_ptr<ScalingStage>> scaling;
  std::vector<std::unique_ptr<OrderingStage>> ordering;
  std::vector<std::unique_ptr<SymbolicStage>> symbolic;
  std::vector<std::unique_ptr<LevelizeStage>> levelize;
  std::vector<std::unique_ptr<NumericStage>> numeric;
  std::vector<std::unique_ptr<Selector>> selectors;
  std::vector<std::unique_ptr<Transfer>> transfers;
  std::vector<std::unique_ptr<SupernodeFinder>> supernode_finders;  // one for a side
  std::vector<std::unique_ptr<PivotDelay>> pivot_delays;            // one for a type of factors
  std::vector<std::unique_ptr<SystemsStage>> systems;               // one for a numeric stage
  std::vector<std::unique_ptr<ProductHandler>> handlers;
  std::vector<Mode> modes;
  std::string matching;     // the scaling that a run without one takes when it is planned again
  std::string oracle_mode;  // that counts factors exactly and runs on every host
  // Symbolic stages that read the options of GSoFa, and find supernodes unless told not to.
  std::vector<std::string> gsofa_stages;

  // Null where none moves that type that way.
  const Transfer* find_transfer(ProductType type, Side from, Side to) const noexcept;
  // Null where none works on that side.
  const SupernodeFinder* find_supernode_finder(Side side) const noexcept;
  // Null for factors whose pivots cannot come later.
  const PivotDelay* find_pivot_delay(ProductType type) const noexcept;
  // Null for a numeric stage that takes one system at a time.
  const SystemsStage* find_systems(std::string_view numeric) const noexcept;
  // Null for a type without a handler.
  const ProductHandler* find_handler(ProductType type) const noexcept;
  // Whether a symbolic stage is one of gsofa_stages.
  bool is_gsofa(std::string_view stage) const noexcept;
  // Throws UsageError naming the accepted modes.
  const Mode& mode(std::string_view name) const;
  // The scaling or ordering of the host that stands for `name`, which may be of the device: for
  // forecasts and for programs that are handed a permuted matrix. Other names stay.
  std::string scaling_on_host(const std::string& name) const;
  std::string ordering_on_host(const std::string& name) const;
};

// The stages behind the ordering, as far as they are known: where a selector is still to choose,
// those of its first candidate stand for all.
struct Tail {
  const SymbolicStage* symbolic = nullptr;
  const LevelizeStage* levelize = nullptr;
  const NumericStage* numeric = nullptr;
  std::string solve;  // a method of the numeric stage
  bool postorder = false;

  const Selector* selector = nullptr;  // null: nothing is left to choose
  std::vector<Tail> tails;             // what it chooses among, more than one
  OpenCandidate chosen_as{};           // in the choice that leads here; empty at the root
};

// The names of one of the catalogue's lists, in its order.
template <class S>
std::vector<std::string> names_of(const std::vector<std::unique_ptr<S>>& stages) {
  std::vector<std::string> names;
  for (const auto& stage : stages) names.push_back(stage->info().name);
  return names;
}

// Those of the selectors that an option takes in place of stages: "family", "symbolic", "numeric".
std::vector<std::string> selector_names(const Catalogue& catalogue, std::string_view decides);

// The stages of one run, resolved and known to fit.
struct Chain {
  const ScalingStage* scaling = nullptr;
  const OrderingStage* ordering = nullptr;
  DependencyRule dependency = DependencyRule::exact;
  Tail tail;

  // The names that will run, for the record; stages after `until` stay null. A selector stands for
  // what it will choose.
  PipelineRecord record(Until until, Precision precision) const;
  // The same once choices have led to `at`, a part of `tail`.
  PipelineRecord record(const Tail& at, Until until, Precision precision) const;
  // The first stage up to `until` that cannot run on this machine says why.
  Support supported(const Machine& machine, Until until) const;
  bool uses_device(Until until) const;
  // Whether a way is open on which the host factors.
  bool host_may_factor() const;
};

// Looks every name up and checks that each stage takes what the one before it gives, if need be by
// a transfer. Throws UsageError naming the option, the misfit and what would fit.
Chain resolve_chain(const Catalogue& catalogue, const StageSelection& selection);

}  // namespace lufact
