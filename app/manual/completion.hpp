// SPDX-License-Identifier: BSD-3-Clause
// Scripts that let a shell complete the commands, options and values of a program.
#pragma once
#include <string>

#include "app/manual/command_facts.hpp"

namespace lufact {

// For bash 4 or newer; needs nothing of the package bash-completion.
std::string bash_completion(const CommandFacts& program);
// For a folder of zsh's fpath, as _NAME.
std::string zsh_completion(const CommandFacts& program);
std::string fish_completion(const CommandFacts& program);

}  // namespace lufact
