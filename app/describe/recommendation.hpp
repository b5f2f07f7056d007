// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <span>
#include <string>

namespace lufact {

struct ModeDescription;

struct Recommendation {
  std::optional<std::string> mode;  // empty where none can be recommended
  std::string reason;
};

// Of the modes that can run here, fit, and have a forecast of their time, the one with the least
// for 1 + expect_refactorizations factorizations; the first of equals. A forecast that is a lower
// bound counts for none.
Recommendation recommend(std::span<const ModeDescription> modes, int expect_refactorizations);

}  // namespace lufact
