// SPDX-License-Identifier: BSD-3-Clause
// Every rate by name, for files and for calibration: what it is and in which unit.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/rates/rates.hpp"

namespace lufact {

struct RateEntry {
  std::string_view group, name;  // the members of Rates and of its group
  std::string_view unit, meaning;
  double& (*of)(Rates&);

  std::string key() const;  // "group.name"
  double value(const Rates& rates) const;
};

// All of them, in the order of Rates.
std::span<const RateEntry> rate_list();

}  // namespace lufact
