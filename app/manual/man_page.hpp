// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "app/manual/command_facts.hpp"

namespace lufact {

// The manual page of a program with all its commands, in the macros of man(7). `version` stands at
// its foot.
std::string man_page(const CommandFacts& program, const std::string& version);

}  // namespace lufact
