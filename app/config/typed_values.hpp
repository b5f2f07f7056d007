// SPDX-License-Identifier: BSD-3-Clause
// Checks of values that are read already, for every command. They throw UsageError.
#pragma once
#include <string>
#include <vector>

namespace lufact {

// Refuses a name that occurs twice: its runs would stand side by side under one name.
void refuse_repeated(const std::string& option, const std::vector<std::string>& names);

// Refuses a file that could not be written, before the work whose result it is to hold.
void require_writable(const std::string& option, const std::string& path);

}  // namespace lufact
