// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/config/run_config.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/run/many_systems.hpp"

namespace lufact {

// The systems of --systems, with the values of --systems-file where that is given: an array of
// NumPy whose row k has the values of system k, a column for each entry line of the matrix file in
// their order. `system` is read. Throws Error{error, "bad_matrix"} where the file is no such array,
// has fewer rows than there are systems or other columns than there are lines, or where a value is
// not finite; and where a line is no entry of its own: one that the matrix lists twice, or a zero
// that was dropped.
SystemsInput systems_input(const RunConfig& config, const LinearSystem& system);

}  // namespace lufact
