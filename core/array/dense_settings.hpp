// SPDX-License-Identifier: BSD-3-Clause
// What the user may set of stages on one large matrix, and which of it a stage takes.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// What a recursion factors its blocks and the rest with.
enum class DenseBase { skr, mkr };
std::string_view to_string(DenseBase base) noexcept;

// What updates the rest of the matrix: tiles in shared memory, a thread an entry, or cuBLAS.
enum class DenseProduct { own, simple, cublas };
std::string_view to_string(DenseProduct product) noexcept;

// How triangular systems are solved: a thread each column or row, or by blocks.
enum class DenseTriangular { columns, blocked };
std::string_view to_string(DenseTriangular triangular) noexcept;

// Empty: the stage's own.
struct DenseSettings {
  std::optional<int> block{};              // columns that are eliminated before the rest is updated
  std::optional<int> depth{};              // levels of a recursion; empty: all there are
  std::optional<DenseBase> base{};         // of a recursion
  std::optional<int> blocks{};             // thread blocks of a grid; empty: half the order
  std::optional<int> threads_per_block{};  // of these
  std::optional<DenseProduct> product{};
  std::optional<DenseTriangular> triangular{};
};

// least, least + step, ... up to most.
struct TakenNumbers {
  int least = 1, most = 1, step = 1;
};

// The settings that a stage takes; it has no use for one that is empty here.
struct DenseTakes {
  std::optional<TakenNumbers> block{}, blocks{}, threads_per_block{};
  int own_block = 0;   // that of a stage that takes --block, unless told
  bool depth = false;  // 0 to dense_levels()
  std::vector<DenseBase> bases{};
  std::vector<DenseProduct> products{};
  std::vector<DenseTriangular> triangulars{};
};

// Levels of a recursion that takes `block` rows and columns at each: order / block, rounded up.
Index dense_levels(Index order, int block) noexcept;

// Why `stage` does not take a setting for a matrix of this order, with what it accepts; empty: it
// takes all of them.
std::string settings_refusal(const std::string& stage, const DenseTakes& takes,
                             const DenseSettings& settings, Index order);

}  // namespace lufact
