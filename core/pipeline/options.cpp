// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/options.hpp"

#include <array>

#include "core/pipeline/team_sharing.hpp"

namespace lufact {
namespace {
constexpr std::array<std::string_view, 5> until_names{"order", "symbolic", "levelize", "numeric",
                                                      "solve"};
constexpr std::array<std::string_view, 3> verify_level_names{"residual", "full", "none"};
constexpr std::array<std::string_view, 4> glu_mode_names{"auto", "small", "large", "stream"};
constexpr std::array<std::string_view, 2> pivoting_names{"static", "diagonal-block"};
}  // namespace

std::string_view to_string(Until until) noexcept {
  return until_names[static_cast<std::size_t>(until)];
}

std::string_view to_string(VerifyLevel level) noexcept {
  return verify_level_names[static_cast<std::size_t>(level)];
}

std::string_view to_string(Pivoting pivoting) noexcept {
  return pivoting_names[static_cast<std::size_t>(pivoting)];
}

std::string_view to_string(SupernodeRule rule) noexcept {
  switch (rule) {
    case SupernodeRule::automatic:
      return "auto";
    case SupernodeRule::t3:
      return "t3";
    case SupernodeRule::off:
      return "off";
  }
  return "";
}

std::string_view to_string(GsofaLayout layout) noexcept {
  return layout == GsofaLayout::paper ? "paper" : "merged";
}

std::string_view to_string(GsofaInter inter) noexcept {
  return inter == GsofaInter::interleave ? "interleave" : "block";
}

std::string_view to_string(GsofaIntra intra) noexcept {
  return intra == GsofaIntra::rows ? "rows" : "chunks";
}

std::string_view to_string(TeamSharing sharing) noexcept {
  switch (sharing) {
    case TeamSharing::bits:
      return "bits";
    case TeamSharing::um:
      return "um";
    case TeamSharing::um_advise:
      return "um-advise";
    case TeamSharing::um_separate:
      return "um-separate";
  }
  return "";
}

std::string_view to_string(GluMode mode) noexcept {
  return glu_mode_names[static_cast<std::size_t>(mode)];
}

std::string_view to_string(FactorPlace place) noexcept {
  switch (place) {
    case FactorPlace::device:
      return "device";
    case FactorPlace::host:
      return "host";
    case FactorPlace::automatic:
      break;
  }
  return "auto";
}

std::string_view to_string(DependencyRule rule) noexcept {
  switch (rule) {
    case DependencyRule::glu1:
      return "glu1";
    case DependencyRule::relaxed:
      return "relaxed";
    case DependencyRule::exact:
      break;
  }
  return "exact";
}

}  // namespace lufact
