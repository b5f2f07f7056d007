// SPDX-License-Identifier: BSD-3-Clause
// Entries of generated matrices, computed from their place alone: the same bits on host and device.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/base/random.hpp"
#include "core/base/types.hpp"

namespace lufact {

enum class BatchKind { random, dominant, graded, ties, near_singular, singular, special };
std::string_view to_string(BatchKind kind) noexcept;

}  // namespace lufact
