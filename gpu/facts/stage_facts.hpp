// SPDX-License-Identifier: BSD-3-Clause
// What a GPU stage answers in every build, with CUDA or without: its row of `lufact list` and the
// memory that it will take. Facts stand in the folder of their stage, in a source without CUDA;
// a function `NAME_KIND_facts()` gives those of the line LUFACT_GPU_KIND(NAME) of gpu/stages.def.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "core/array/array_stage.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

struct OrderingFacts {
  StageInfo info;
};

struct SymbolicFacts {
  StageInfo info;
  // As SymbolicStage::work_bytes(); empty where it depends on more than the order of the matrix.
  std::function<WorkBytes(Index n)> work_bytes{};
};

struct LevelizeFacts {
  StageInfo info;
};

struct NumericFacts {
  StageInfo info;
  // As NumericStage::resident_bytes().
  std::function<std::uint64_t(Index n, Offset nnz, Offset nnz_lu, Index rhs, Precision precision)>
      resident_bytes;
};

// A stage that answers with its facts, which must outlive it. A class that derives from it adds
// run().
template <class Stage, class Facts>
class StageOfFacts : public Stage {
 public:
  explicit StageOfFacts(const Facts& facts) : facts_(facts) {}
  const StageInfo& info() const noexcept final { return facts_.info; }

 protected:
  const Facts& facts() const noexcept { return facts_; }

 private:
  const Facts& facts_;
};

using GpuOrdering = StageOfFacts<OrderingStage, OrderingFacts>;
using GpuLevelize = StageOfFacts<LevelizeStage, LevelizeFacts>;

class GpuSymbolic : public StageOfFacts<SymbolicStage, SymbolicFacts> {
 public:
  using StageOfFacts::StageOfFacts;
  std::optional<WorkBytes> work_bytes(Index n) const final {
    if (!facts().work_bytes) return std::nullopt;
    return facts().work_bytes(n);
  }
};

class GpuNumeric : public StageOfFacts<NumericStage, NumericFacts> {
 public:
  using StageOfFacts::StageOfFacts;
  std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                               Precision precision) const final {
    return facts().resident_bytes(n, nnz, nnz_lu, rhs, precision);
  }
};

}  // namespace lufact::gpu
