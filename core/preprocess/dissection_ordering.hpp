// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact {

// `nd-parallel`: nested dissection on all threads (nd/nested_dissection.hpp). Its two orders of the
// separator are compared by predicted time, and the choice is recorded.
std::unique_ptr<OrderingStage> make_dissection_ordering();

}  // namespace lufact
