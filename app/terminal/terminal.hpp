// SPDX-License-Identifier: BSD-3-Clause
// What standard output and standard error can show.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/report/tables.hpp"

namespace lufact {

// The value of an environment variable.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

// Whether to use colours: never with NO_COLOR (no-color.org), always with CLICOLOR_FORCE, else on a
// terminal that is not dumb, unless CLICOLOR is 0 (bixense.com/clicolors).
bool wants_colours(bool terminal, const Environment& environment);

bool is_terminal(int descriptor);
// Whether a write that failed for this reason (errno) had no reader left: one that has seen enough,
// such as `head`, or a terminal that is gone. That is no fault of the program's.
bool nobody_reads(int reason) noexcept;
// Of a descriptor that is no terminal: no colours unless they are forced, and 100 columns.
TextStyle text_style(int descriptor);

}  // namespace lufact
