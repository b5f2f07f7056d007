// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/tuned_card.hpp"

#include <fmt/format.h>

#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

void warn_of_another_card(const DeviceSession& session, std::string_view stage,
                          std::string_view tuned_on, std::vector<Warning>& warnings) {
  const std::string name = device_name(session.device());
  if (name == tuned_on) return;
  warnings.push_back(
      {"tuned_elsewhere", fmt::format("{} was tuned on {}, this is {}", stage, tuned_on, name)});
}

}  // namespace lufact::gpu
