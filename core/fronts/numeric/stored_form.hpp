// SPDX-License-Identifier: BSD-3-Clause
// The host's factors in the form that the front family's engines share (FrontShape), for hashes,
// validators and tests; nothing that is timed.
#pragma once
#include "core/fronts/numeric/front_sweeps.hpp"

namespace lufact {

// A task graph that has shapes and the number of stored entries, nothing else.
TaskGraph stored_shapes(const FrontTree& tree);

template <class T>
std::vector<double> stored_form(const StoredFronts<T>& fronts);

}  // namespace lufact
