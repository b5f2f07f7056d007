// SPDX-License-Identifier: BSD-3-Clause
// Options that take one of a closed set of values: the values of each type in the order in which
// messages list them, the default first. to_string() spells them.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/distribution/exchange_option.hpp"
#include "core/matrix/facts.hpp"
#include "core/pipeline/options.hpp"
#include "core/pipeline/refactoring.hpp"
#include "core/pipeline/team_sharing.hpp"

namespace lufact {

template <class E>
struct Choices;
template <>
struct Choices<Precision> {
  static constexpr std::array values{Precision::float64, Precision::float32};
};
template <>
struct Choices<Until> {
  static constexpr std::array values{Until::solve, Until::numeric, Until::levelize, Until::symbolic,
                                     Until::order};
};
template <>
struct Choices<VerifyLevel> {
  static constexpr std::array values{VerifyLevel::residual, VerifyLevel::full, VerifyLevel::none};
};
template <>
struct Choices<Side> {
  static constexpr std::array values{Side::host, Side::device};
};
template <>
struct Choices<PhaseTiming> {
  static constexpr std::array values{PhaseTiming::waits, PhaseTiming::events, PhaseTiming::none};
};
template <>
struct Choices<Pivoting> {
  static constexpr std::array values{Pivoting::fixed_rows, Pivoting::diagonal_block};
};
template <>
struct Choices<SupernodeRule> {
  static constexpr std::array values{SupernodeRule::automatic, SupernodeRule::t3,
                                     SupernodeRule::off};
};
template <>
struct Choices<GsofaInter> {
  static constexpr std::array values{GsofaInter::interleave, GsofaInter::block};
};
template <>
struct Choices<GsofaIntra> {
  static constexpr std::array values{GsofaIntra::rows, GsofaIntra::chunks};
};
template <>
struct Choices<TeamSharing> {
  static constexpr std::array values{TeamSharing::bits, TeamSharing::um_separate,
                                     TeamSharing::um_advise, TeamSharing::um};
};
template <>
struct Choices<ExchangeOption> {
  static constexpr std::array values{ExchangeOption::automatic, ExchangeOption::mpi,
                                     ExchangeOption::nccl};
};
template <>
struct Choices<FactorPlace> {
  static constexpr std::array values{FactorPlace::automatic, FactorPlace::device,
                                     FactorPlace::host};
};
template <>
struct Choices<GluMode> {
  static constexpr std::array values{GluMode::automatic, GluMode::small_block, GluMode::large_block,
                                     GluMode::stream};
};
template <>
struct Choices<DependencyRule> {
  static constexpr std::array values{DependencyRule::glu1, DependencyRule::exact,
                                     DependencyRule::relaxed};
};
template <>
struct Choices<SymmetryMode> {
  static constexpr std::array values{SymmetryMode::expand, SymmetryMode::stored};
};
template <>
struct Choices<ExplicitZeros> {
  static constexpr std::array values{ExplicitZeros::drop, ExplicitZeros::keep};
};
template <>
struct Choices<PatternValues> {
  static constexpr std::array values{PatternValues::dominant, PatternValues::ones};
};

template <class E>
std::vector<std::string> spellings() {
  std::vector<std::string> names;
  for (const E value : Choices<E>::values) names.emplace_back(to_string(value));
  return names;
}

// Empty where nothing is spelled so.
template <class E>
std::optional<E> parse_choice(std::string_view text) {
  const auto& values = Choices<E>::values;
  const auto found =
      std::find_if(values.begin(), values.end(), [&](E value) { return to_string(value) == text; });
  return found == values.end() ? std::nullopt : std::optional<E>(*found);
}

}  // namespace lufact
