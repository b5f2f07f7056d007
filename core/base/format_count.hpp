// SPDX-License-Identifier: BSD-3-Clause
// Counts as people read them.
#pragma once
#include <string>

#include "core/base/types.hpp"

namespace lufact {

std::string format_count(Offset count);  // "1,234,567"

}  // namespace lufact
