// SPDX-License-Identifier: BSD-3-Clause
// Why this build has no device, and what to do about it.
#pragma once
#include <string>

#include "core/base/error.hpp"

namespace lufact::gpu {

std::string absent_reason();

// Throws Error{unsupported, "no_device"} naming what was asked for and the reason.
[[noreturn]] void throw_absent(const std::string& what);

}  // namespace lufact::gpu
