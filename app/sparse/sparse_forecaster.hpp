// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "app/workload/workload.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

// What the variants must hold on one matrix and whether they can; nothing is known of a peer. The
// arguments must outlive it; a generated matrix is not written.
std::unique_ptr<Forecaster> make_sparse_forecaster(const Catalogue& catalogue, const Input& input,
                                                   const Machine& machine);

}  // namespace lufact
