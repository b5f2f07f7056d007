// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/family_selector.hpp"

namespace lufact {

// `few-entries`: the columns of mode `cpu` in place of fronts where factors have so few entries
// that the trees and plans of fronts and the waits of a device or of several cores take longer.
std::unique_ptr<FamilySelector> make_few_entries_selector();

}  // namespace lufact
