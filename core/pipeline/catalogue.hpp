// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: every stage, transfer, product handler and mode there is. It is filled in one
// place (lufact/catalogue.cpp) and looked up by name; nothing registers itself.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/back_end.hpp"
#include "core/pipeline/family_selector.hpp"
#include "core/pipeline/product_handler.hpp"
#include "core/pipeline/stage.hpp"
#include "core/pipeline/symbolic_selector.hpp"

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
  std::vector<std::unique_ptr<FamilySelector>> family_selectors;
  std::vector<std::unique_ptr<SymbolicSelector>> symbolic_selectors;
  std::vector<std::unique_ptr<BackEndSelector>> back_ends;
  std::vector<std::unique_ptr<Transfer>> transfers;
  std::vector<std::unique_ptr<ProductHandler>> handlers;
  std::vector<Mode> modes;

  // Null where none moves that type that way.
  const Transfer* find_transfer(ProductType type, Side from, Side to) const noexcept;
  // Null for a type without a handler.
  const ProductHandler* find_handler(ProductType type) const noexcept;
  // Throws UsageError naming the accepted modes.
  const Mode& mode(std::string_view name) const;
};

// The names of one of the catalogue's lists, in its order.
template <class S>
std::vector<std::string> names_of(const std::vector<std::unique_ptr<S>>& stages) {
  std::vector<std::string> names;
  for (const auto& stage : stages) names.push_back(stage->info().name);
  return names;
}

// The stages of one run, resolved and known to fit.
struct Chain {
  const ScalingStage* scaling = nullptr;
  const OrderingStage* ordering = nullptr;
  const SymbolicStage* symbolic = nullptr;  // the first of `symbolics` where one will be chosen
  const SymbolicSelector* symbolic_selector = nullptr;
  std::vector<const SymbolicStage*> symbolics;  // what it chooses among
  BackEnd back_end;  // the first of `back_ends` where a selector will choose
  const BackEndSelector* selector = nullptr;
  std::vector<BackEnd> back_ends;  // what it chooses among
  DependencyRule dependency = DependencyRule::exact;
  bool postorder = false;
  const FamilySelector* family_selector = nullptr;
  std::shared_ptr<const Chain> other_family;  // what it may go on with behind the ordering

  // The names that will run, for the record; stages after `until` stay null. A selector stands for
  // what it will choose.
  PipelineRecord record(Until until, Precision precision) const;
  // The first stage up to `until` that cannot run on this machine says why.
  Support supported(const Machine& machine, Until until) const;
  bool uses_device(Until until) const;
};

// Looks every name up and checks that each stage takes what the one before it gives, if need be by
// a transfer. Throws UsageError naming the option, the misfit and what would fit.
Chain resolve_chain(const Catalogue& catalogue, const StageSelection& selection);

}  // namespace lufact
