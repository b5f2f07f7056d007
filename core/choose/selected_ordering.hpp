// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/order/dissection_ordering.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

// `select`: AMD or nested dissection, whichever promises less time for ordering and 1 + N
// factorizations, N being the expected refactorizations. The one that is quicker to compute on this
// many threads is; the other as well where half of the factorizations' forecast would pay for it.
// Nested dissection takes the steps that `on_device` gives, as `nd-gpu`, where it gives any.
// Small matrices of few factorizations get AMD without a forecast, and so do those that the host,
// if it may, factors in less time by AMD's own count than another order takes to compute. The
// choice is recorded with the figures behind it; it may depend on the number of threads, and on
// whether the host may factor.
std::unique_ptr<OrderingStage> make_selected_ordering(DeviceDissection on_device = {});

}  // namespace lufact
