// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "core/array/array_stage.hpp"

namespace lufact {

// Every stage on dense matrices, in the order of `lufact list`: the one explicit list.
std::vector<std::unique_ptr<ArrayStage>> make_array_stages();

}  // namespace lufact
