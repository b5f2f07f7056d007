// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/array_peer.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "baselines/peers/known_peers.hpp"
#include "baselines/peers/peer_answers.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

// Those of `values` whose bits are set.
template <class T, std::size_t Count>
std::vector<T> values_of(std::uint32_t bits, const std::pair<int, T> (&values)[Count]) {
  std::vector<T> chosen;
  for (const auto& [bit, value] : values) {
    if ((bits >> bit & 1u) != 0) chosen.push_back(value);
  }
  return chosen;
}

template <class T, std::size_t Count>
std::int32_t number_of(T wanted, const std::pair<int, T> (&values)[Count]) {
  for (const auto& [number, value] : values) {
    if (value == wanted) return number;
  }
  throw std::logic_error("a value that the interface of plug-ins does not know");
}

constexpr std::pair<int, ArrayOperation> operations[] = {
    {LUFACT_ARRAY_LU, ArrayOperation::lu},
    {LUFACT_ARRAY_INVERSE, ArrayOperation::inverse},
    {LUFACT_ARRAY_SOLVE, ArrayOperation::solve}};
constexpr std::pair<int, ArrayLayout> layouts[] = {
    {LUFACT_ARRAY_CONTIGUOUS, ArrayLayout::contiguous},
    {LUFACT_ARRAY_INTERLEAVED, ArrayLayout::interleaved},
    {LUFACT_ARRAY_POINTERS, ArrayLayout::pointers}};
constexpr std::pair<int, Precision> precisions[] = {{LUFACT_ARRAY_FLOAT64, Precision::float64},
                                                    {LUFACT_ARRAY_FLOAT32, Precision::float32}};
constexpr std::pair<int, ArrayPivoting> pivotings[] = {
    {LUFACT_ARRAY_PIVOTING_NONE, ArrayPivoting::none},
    {LUFACT_ARRAY_PIVOTING_PARTIAL, ArrayPivoting::partial}};

constexpr std::pair<int, FactorArithmetic> arithmetics[] = {
    {LUFACT_ARRAY_FACTORS_OWN, FactorArithmetic::own},
    {LUFACT_ARRAY_FACTORS_FLOAT32, FactorArithmetic::float32},
    {LUFACT_ARRAY_FACTORS_TF32, FactorArithmetic::tf32},
    {LUFACT_ARRAY_FACTORS_HALF, FactorArithmetic::half},
    {LUFACT_ARRAY_FACTORS_BFLOAT, FactorArithmetic::bfloat}};

// Empty: both commands.
std::string workload_of(std::uint32_t commands) {
  if (commands == (LUFACT_ARRAY_BATCHES | LUFACT_ARRAY_ONE_MATRIX)) return "";
  return commands == LUFACT_ARRAY_ONE_MATRIX ? "dense" : "batch";
}

lufact_array_problem c_problem(const ArrayProblem& problem) {
  return {sizeof(lufact_array_problem),
          number_of(problem.operation, operations),
          problem.rows,
          problem.columns,
          problem.count,
          problem.ld,
          problem.rhs,
          number_of(problem.layout, layouts),
          number_of(problem.precision, precisions),
          number_of(problem.pivoting, pivotings),
          problem.in_place ? 1 : 0,
          number_of(problem.arithmetic, arithmetics)};
}

void require_place(const ArrayPeerFacts& facts, const ArrayProblem& problem) {
  if (problem.operation != ArrayOperation::inverse) return;
  if (problem.in_place ? facts.inverse_in_place : facts.inverse_out_of_place) return;
  throw UsageError(fmt::format("{} inverts {} only; give --in-place {}", facts.takes.name,
                               problem.in_place ? "into another array" : "in place",
                               problem.in_place ? "off" : "on"));
}

}  // namespace

ArrayPeer::ArrayPeer(const ArrayPeerPlugin& plugin, const Options& options)
    : api_(plugin.api()), name_(peer_name(plugin.api().name, options.variant)) {
  const lufact_peer_options made{sizeof(lufact_peer_options), options.threads, options.device,
                                 options.variant.c_str(), plugin.search_path().c_str()};
  require(api_.create(&made, &peer_), "create");
}

ArrayPeer::~ArrayPeer() {
  api_.destroy(peer_);
}

void ArrayPeer::require(std::int32_t status, const char* step) const {
  if (status == LUFACT_PEER_OK) return;
  fail_as_peer(status,
               fmt::format("{} failed in {}: {}", name_, step, text(api_.last_error(peer_))));
}

ArrayPeerFacts ArrayPeer::facts() const {
  lufact_array_facts made{};
  made.struct_size = sizeof made;
  require(api_.describe(peer_, &made), "describe");
  ArrayPeerFacts facts;
  facts.takes.name = name_;
  facts.takes.description = text(api_.description);
  facts.takes.side = made.on_device != 0 ? Side::device : Side::host;
  facts.takes.operations = values_of(made.operations, operations);
  facts.takes.layouts = values_of(made.layouts, layouts);
  facts.takes.precisions = values_of(made.precisions, precisions);
  facts.takes.pivoting = values_of(made.pivoting, pivotings);
  facts.takes.largest_order = made.largest_order;
  facts.takes.workload = workload_of(made.commands);
  if (made.factors != 0) facts.takes.arithmetics = values_of(made.factors, arithmetics);
  facts.refinement_steps = made.refinement_steps;
  facts.record.library = optional_text(made.library);
  facts.record.version = optional_text(made.version);
  facts.record.threads = known<int>(made.threads);
  facts.record.settings = texts(made.settings, made.setting_count);
  for (std::uint32_t k = 0; k < made.warning_count; ++k) {
    facts.warnings.push_back({text(made.warnings[k].name), text(made.warnings[k].value)});
  }
  facts.inverse_in_place = made.takes_in_place != 0;
  facts.inverse_out_of_place = made.takes_out_of_place != 0;
  facts.gives_pivots = made.gives_pivots != 0;
  return facts;
}

std::uint64_t ArrayPeer::prepare(const ArrayProblem& problem, const ArrayOperands& operands) {
  const ArrayPeerFacts taken = facts();
  if (const std::string reason = refusal(taken.takes, problem); !reason.empty()) {
    throw UsageError(reason);
  }
  require_place(taken, problem);
  const lufact_array_problem made = c_problem(problem);
  const lufact_array_operands arrays{sizeof(lufact_array_operands),
                                     operands.a,
                                     operands.result,
                                     operands.b,
                                     operands.pivots,
                                     operands.info};
  std::int64_t bytes = 0;
  require(api_.prepare(peer_, &made, &arrays, &bytes), "prepare");
  refines_ = problem.arithmetic != FactorArithmetic::own;
  return static_cast<std::uint64_t>(bytes);
}

void ArrayPeer::run(void* stream) {
  require(api_.run(peer_, stream), "run");
}

std::optional<RefinementRecord> ArrayPeer::refinement() const {
  if (!refines_) return std::nullopt;
  const Offset steps = facts().refinement_steps;
  return RefinementRecord{
      .method = "library", .steps = std::abs(steps), .full_precision = steps < 0, .history = {}};
}

}  // namespace lufact
