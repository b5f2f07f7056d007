// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/matrix/device_products.hpp"

#include <algorithm>
#include <array>

namespace lufact::gpu {

const std::vector<Index>& DeviceColumnSchedule::host_level_ptr(DeviceSession& session) const {
  constexpr Index offsets_per_read = 16;
  std::array<Index, offsets_per_read> offsets;
  while (static_cast<Index>(host_level_ptr_.size()) <= levels) {
    const auto have = static_cast<Index>(host_level_ptr_.size());
    const auto count = static_cast<std::size_t>(std::min(offsets_per_read, levels + 1 - have));
    session.read_control(offsets.data(), level_ptr.data() + have, count * sizeof(Index));
    host_level_ptr_.insert(host_level_ptr_.end(), offsets.begin(), offsets.begin() + count);
  }
  return host_level_ptr_;
}

}  // namespace lufact::gpu
