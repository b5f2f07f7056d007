// SPDX-License-Identifier: BSD-3-Clause
// A small system on the host, run through the pipeline.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>

#include "core/columns/host_vectors.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/verify/solution.hpp"

namespace lufact::test {

inline LinearSystem system_of(CsrMatrix matrix) {
  LinearSystem system;
  system.x_true = make_x_true(matrix.pattern.n_rows, 1, 1);
  system.b = multiply(matrix, system.x_true, 1);
  system.matrix_norm = 8;
  system.input.matrix = std::move(matrix);
  return system;
}

inline LinearSystem small_system(Index rows = 120) {
  return system_of(random_matrix(rows, 3, 4));
}

// The record of two repetitions and, where they solve, a refactorization. `room` is what is free on
// the device, in bytes; none: there is no device.
inline RunRecord run_system(const Catalogue& catalogue, const StageSelection& stages,
                            const LinearSystem& system, const RunSettings& settings,
                            std::optional<std::uint64_t> room) {
  const Chain chain = resolve_chain(catalogue, stages);
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

inline RunRecord run_small_system(const Catalogue& catalogue, const StageSelection& stages,
                                  const RunSettings& settings,
                                  std::optional<std::uint64_t> room = {}, Index rows = 120) {
  return run_system(catalogue, stages, small_system(rows), settings, room);
}

}  // namespace lufact::test
