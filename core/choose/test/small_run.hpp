// SPDX-License-Identifier: BSD-3-Clause
// A small system on the host, run through the pipeline.
#pragma once
#include <cstdint>
#include <optional>

#include "core/columns/host_vectors.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/verify/solution.hpp"

namespace lufact::test {

inline LinearSystem small_system(Index rows = 120) {
  LinearSystem system;
  system.input.matrix = random_matrix(rows, 3, 4);
  system.x_true = make_x_true(rows, 1, 1);
  system.b = multiply(system.input.matrix, system.x_true, 1);
  system.matrix_norm = 8;
  return system;
}

// The record of two repetitions and, where they solve, a refactorization. `room` is what is free on
// the device, in bytes; none: there is no device.
inline RunRecord run_small_system(const Catalogue& catalogue, const StageSelection& stages,
                                  const RunSettings& settings,
                                  std::optional<std::uint64_t> room = {}, Index rows = 120) {
  const Chain chain = resolve_chain(catalogue, stages);
  const LinearSystem system = small_system(rows);
  const SteadyClock clock;
  RunEnvironment environment{.clock = clock,
                             .make_vectors = [](Side) { return make_host_vector_backend(1); }};
  if (room) environment.device_room = [room] { return *room; };
  PipelineRun run(catalogue, chain, system, settings, environment);
  RunRecord record;
  record.samples.push_back(run.run_repetition(0));
  record.samples.push_back(run.run_repetition(1));
  run.describe(record);
  if (settings.until == Until::solve) record.refactor_samples.push_back(run.run_refactorization(0));
  run.add_refactorizations(record);
  return record;
}

}  // namespace lufact::test
