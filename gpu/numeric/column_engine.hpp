// SPDX-License-Identifier: BSD-3-Clause
// Engines: the elimination of columns, the only difference between the column family's numeric
// stages. Placing values, solves, refactorization and figures are common (DeviceColumnFactors).
#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "gpu/facts/stage_facts.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

template <class T>
inline constexpr Precision precision_of =
    std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

// Arguments of an engine's constructor. Pattern and schedule outlive the engine; their arrays are
// complete on the device.
struct EngineInput {
  DeviceSession& session;
  FactorPattern pattern;
  Offset nnz_lu = 0;
  const DeviceColumnSchedule& schedule;
  std::uint64_t bytes_to_come = 0;  // resident bytes of the factors that are not allocated yet
  const StageOptions& options;
  StageNotes& notes;
};

// The constructor of an engine is the sub-phase `plan`: it depends on pattern and schedule alone,
// so that refactorizations share its results. Memory that it keeps is resident.
template <class T>
class ColumnEngine {
 public:
  virtual ~ColumnEngine() = default;

  // Turns the values of B in factors.values into those of L and U. Replaces pivots below
  // `smallest_pivot`; `counters` (zeroed before) count these and errors. Opens the sub-phase
  // `levels`; asynchronous unless the engine says otherwise.
  virtual void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                         PhaseRecorder& phases) = 0;
  // Fills format, parallel_columns and max_parallel_blocks as far as they apply.
  virtual void describe(FactorFigures& figures) const = 0;
  // How each level is run; empty where levels are not run one by one. Never GluMode::automatic.
  virtual std::vector<GluMode> level_modes() const { return {}; }
};

// A numeric stage of the column family is its facts and an engine.
struct ColumnEngineKind {
  const NumericFacts& facts;
  std::unique_ptr<ColumnEngine<float>> (*make_float)(const EngineInput&);
  std::unique_ptr<ColumnEngine<double>> (*make_double)(const EngineInput&);
  // Bytes that the engine keeps besides the factors, exact; from resident_bytes.hpp.
  std::uint64_t (*engine_bytes)(Index n, Offset nnz_lu, Precision precision);

  template <class T>
  std::unique_ptr<ColumnEngine<T>> make(const EngineInput& input) const {
    if constexpr (std::is_same_v<T, float>) {
      return make_float(input);
    } else {
      return make_double(input);
    }
  }
};

// The kind whose engines are Engine<float> and Engine<double>, constructed from an EngineInput.
template <template <class> class Engine>
ColumnEngineKind engine_kind(const NumericFacts& facts,
                             std::uint64_t (*engine_bytes)(Index, Offset, Precision)) {
  return {facts,
          [](const EngineInput& input) -> std::unique_ptr<ColumnEngine<float>> {
            return std::make_unique<Engine<float>>(input);
          },
          [](const EngineInput& input) -> std::unique_ptr<ColumnEngine<double>> {
            return std::make_unique<Engine<double>>(input);
          },
          engine_bytes};
}

}  // namespace lufact::gpu
