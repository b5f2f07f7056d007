// SPDX-License-Identifier: BSD-3-Clause
// What was found of the results of many small dense matrices.
#pragma once
#include "core/base/types.hpp"
#include "core/pipeline/batch_record.hpp"

namespace lufact {

// What was found of the results of a group.
struct BatchCheck {
  double worst_error = 0;  // of the formula of the operation; infinite where a result has NaN that
                           // it must not have
  Offset worst_matrix = 0;
  Offset checked = 0;
  Offset wrong_info = 0;     // matrices whose info is not that of their U, or not the twin's
  Offset wrong_not_nan = 0;  // singular ones whose inverse or solution is not all NaN
  PivotCheck pivots;         // matrices; a multiplier above 1 in size counts as `different`
  BatchInfo info;
};

struct BatchCheckRequest {
  bool own_result = true;     // of a peer only info is judged where a matrix is singular
  bool has_pivots = true;     // false: the stage gives none, or does not pivot
  Offset host_sample = 4096;  // matrices that the second validator repeats
};

}  // namespace lufact
