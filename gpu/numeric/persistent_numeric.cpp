// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/persistent_numeric.hpp"

#include "gpu/numeric/column_facts.hpp"
#include "gpu/numeric/column_numeric.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/numeric/supernode_factorization.hpp"

namespace lufact::gpu {
namespace {

template <class T>
class PersistentEngine final : public ColumnEngine<T> {
 public:
  explicit PersistentEngine(const EngineInput& input)
      : supernodes_(input.session, input.pattern, input.nnz_lu, input.schedule.columns.data()) {}

  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    const auto scope = phases.scope("levels");
    supernodes_.run(factors, smallest_pivot, counters);
  }

  void describe(FactorFigures& figures) const override { figures.format = "sparse"; }

 private:
  SupernodeFactorization<T> supernodes_;
};

}  // namespace

const ColumnEngineKind& persistent_engine() {
  static const ColumnEngineKind kind =
      engine_kind<PersistentEngine>(persistent_numeric_facts(), persistent_engine_bytes);
  return kind;
}

std::unique_ptr<NumericStage> make_persistent_numeric() {
  return make_column_numeric(persistent_engine());
}

}  // namespace lufact::gpu
