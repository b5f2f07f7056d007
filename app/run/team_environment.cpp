// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/team_environment.hpp"

#include <array>
#include <cstdlib>

namespace lufact {
namespace {

// With a pause of 40 to 140 cycles between them, 20 to 50 microseconds.
constexpr const char* looks = "GOMP_SPINCOUNT=1000";
constexpr std::array<const char*, 2> said_by_user{"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"};

}  // namespace

std::vector<std::string> team_environment() {
  for (const char* variable : said_by_user) {
    if (std::getenv(variable) != nullptr) return {};
  }
  return {looks};
}

}  // namespace lufact
