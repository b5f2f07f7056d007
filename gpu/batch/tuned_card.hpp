// SPDX-License-Identifier: BSD-3-Clause
// Settings that were measured on one card, on another one.
#pragma once
#include <string_view>
#include <vector>

#include "core/pipeline/notes.hpp"

namespace lufact {
class DeviceSession;
}

namespace lufact::gpu {

// Adds the warning `tuned_elsewhere` unless the session's card has the name `tuned_on`.
void warn_of_another_card(const DeviceSession& session, std::string_view stage,
                          std::string_view tuned_on, std::vector<Warning>& warnings);

}  // namespace lufact::gpu
