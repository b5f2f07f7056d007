// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the kernels that factor and solve several systems with one plan. The arrays of
// a system stand behind those of the system before it.
#pragma once
#include "core/systems/system_tickets.hpp"
#include "gpu/fronts/solve/sweep.cuh"
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/fronts/tasks/shared_problem.cuh"

namespace lufact::gpu {

// From the arrays of a system to those of the next, in entries.
struct SystemStrides {
  Offset values = 0, factors = 0, contributions = 0;  // of B, of L and U, of contribution blocks
  Offset words = 0;                                   // flags of tiles and counters of fronts
  Offset solve_contributions = 0, solve_words = 0;    // of a solve
  Index n = 0;                                        // vectors, and rows of pivots
};

template <class T>
struct SystemsProblem {
  FrontProblem<T> first;  // of system 0; its rule, report and idle words are not used
  SystemTickets order;
  SystemStrides stride;
  const unsigned long long* scaled_norm = nullptr;  // of each system, as magnitude_bits
  double pivot_threshold = 0;

  __device__ FrontProblem<T> of(Index system) const {
    FrontProblem<T> own = first;
    own.sync.flag += system * stride.words;
    own.sync.done += system * stride.words;
    own.values += system * stride.values;
    own.factors += system * stride.factors;
    own.contributions += system * stride.contributions;
    own.counters += system;
    const double norm = __longlong_as_double(static_cast<long long>(scaled_norm[system]));
    own.rule = {static_cast<T>(pivot_threshold * norm)};
    if (own.row_source != nullptr) own.row_source += Offset{system} * stride.n;
    return own;
  }
};

template <class T>
struct SystemsSolveProblem {
  SolveProblem<T> first;
  SystemTickets order;  // of tickets for L, then for U
  SystemStrides stride;

  __device__ SolveProblem<T> of(Index system) const {
    SolveProblem<T> own = first;
    for (SweepWords* words : {&own.lower, &own.upper}) {
      words->flag += system * stride.solve_words;
      words->done += system * stride.solve_words;
    }
    own.factors += system * stride.factors;
    own.solution += Offset{system} * stride.n;
    own.contributions += system * stride.solve_contributions;
    own.vectors.b += Offset{system} * stride.n;
    own.vectors.x += Offset{system} * stride.n;
    if (own.row_source != nullptr) own.row_source += Offset{system} * stride.n;
    return own;
  }
};

}  // namespace lufact::gpu
