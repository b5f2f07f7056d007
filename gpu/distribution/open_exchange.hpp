// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/distribution/exchange_option.hpp"
#include "core/distribution/rank_group.hpp"
#include "gpu/runtime/device_exchange.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// To be called by all ranks at once, each with its first device; session and ranks must outlive the
// result. Throws as choose_exchange() and NcclExchange do, and on rank 0 what another rank reported
// that did not come so far.
std::shared_ptr<DeviceExchange> open_exchange(DeviceSession& session, RankGroup& ranks,
                                              ExchangeOption option);

}  // namespace lufact::gpu
