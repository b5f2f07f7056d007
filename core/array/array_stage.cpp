// SPDX-License-Identifier: BSD-3-Clause
#include "core/array/array_stage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace lufact {
namespace {

template <class T>
std::string unless_one_of(const std::vector<T>& accepted, T value, std::string_view what,
                          const std::string& stage) {
  if (std::ranges::find(accepted, value) != accepted.end()) return "";
  std::vector<std::string_view> names;
  for (const T name : accepted) names.push_back(to_string(name));
  return fmt::format("{} does not take {} {}; accepted: {}", stage, what, to_string(value),
                     fmt::join(names, ", "));
}

std::string unless_order(const ArrayStageFacts& facts, Index order) {
  if (order < facts.least_order || order > facts.largest_order) {
    return fmt::format("{} does not take order {}; accepted: {} to {}", facts.name, order,
                       facts.least_order, facts.largest_order);
  }
  return "";
}

}  // namespace

std::string_view to_string(ArrayOperation operation) noexcept {
  switch (operation) {
    case ArrayOperation::lu:
      return "lu";
    case ArrayOperation::inverse:
      return "inverse";
    case ArrayOperation::solve:
      return "solve";
  }
  return "";
}

std::string_view to_string(ArrayLayout layout) noexcept {
  switch (layout) {
    case ArrayLayout::contiguous:
      return "contiguous";
    case ArrayLayout::interleaved:
      return "interleaved";
    case ArrayLayout::pointers:
      return "pointers";
  }
  return "";
}

std::string_view to_string(ArrayPivoting pivoting) noexcept {
  return pivoting == ArrayPivoting::none ? "none" : "partial";
}

std::string_view to_string(FactorArithmetic arithmetic) noexcept {
  switch (arithmetic) {
    case FactorArithmetic::own:
      return "own";
    case FactorArithmetic::float32:
      return "float";
    case FactorArithmetic::tf32:
      return "tf32";
    case FactorArithmetic::half:
      return "half";
    case FactorArithmetic::bfloat:
      return "bfloat";
  }
  return "";
}

std::string_view to_string(SwapRule rule) noexcept {
  return rule == SwapRule::greedy ? "greedy" : "lazy";
}

std::string refusal(const ArrayStageFacts& facts, const ArrayProblem& problem) {
  for (std::string reason :
       {unless_one_of(facts.operations, problem.operation, "operation", facts.name),
        unless_one_of(facts.layouts, problem.layout, "layout", facts.name),
        unless_one_of(facts.precisions, problem.precision, "precision", facts.name),
        unless_one_of(facts.pivoting, problem.pivoting, "pivoting", facts.name),
        unless_one_of(facts.arithmetics, problem.arithmetic, "arithmetic of factors", facts.name),
        unless_order(facts, problem.order())}) {
    if (!reason.empty()) return reason;
  }
  return "";
}

ArrayPivoting preferred_pivoting(const ArrayStageFacts& facts) {
  const auto& known = facts.pivoting;
  const bool partial = std::ranges::find(known, ArrayPivoting::partial) != known.end();
  return partial || known.empty() ? ArrayPivoting::partial : known.front();
}

void require_dense(const ArrayStageFacts& facts, const ArrayProblem& problem,
                   const ArrayOptions& options) {
  std::string reason = refusal(facts, problem);
  if (reason.empty()) {
    reason = settings_refusal(facts.name, facts.dense, options.dense, problem.order());
  }
  if (!reason.empty()) throw UsageError(reason);
  if (problem.arithmetic != FactorArithmetic::own &&
      (problem.operation != ArrayOperation::solve || problem.precision != Precision::float64)) {
    throw UsageError("factors in lower numbers are for solves in double");
  }
  if (options.matrices_per_block || options.swap || !options.tuning_file.empty()) {
    throw UsageError(facts.name + " has no use for matrices per block, swap or a tuning file");
  }
}

Support ArrayStage::supported(const Machine& machine) const {
  if (facts().side == Side::host || machine.device) return {};
  return {false, machine.device_absent_reason};
}

}  // namespace lufact
