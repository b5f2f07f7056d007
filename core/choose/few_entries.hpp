// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/family_selector.hpp"

namespace lufact {

// `few-entries`: takes the column family of mode `cpu` instead of fronts where the factors have so
// few entries that building front trees and plans, and waiting for a device or other cores, would
// take longer.
std::unique_ptr<FamilySelector> make_few_entries_selector();

}  // namespace lufact
