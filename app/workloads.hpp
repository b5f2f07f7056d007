// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/workload/workload.hpp"

namespace lufact {

// Every workload of this program: the one explicit list.
Workloads make_workloads();

}  // namespace lufact
