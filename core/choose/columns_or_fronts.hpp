// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/selector.hpp"

namespace lufact {

// `columns-or-fronts`: the stages `columns` of the host in place of the planned ones, which are of
// fronts, where factors have so few entries that the trees and plans of fronts and the waits of a
// device or of several cores take longer. Decides where the ordering has counted entries.
std::unique_ptr<Selector> make_columns_or_fronts_selector(const StageNames& columns);

}  // namespace lufact
