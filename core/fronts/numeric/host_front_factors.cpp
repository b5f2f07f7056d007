// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/numeric/host_front_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/fronts/numeric/stored_form.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_work = 1'500'000;   // of a factorization, as front_work() counts
constexpr Offset worthwhile_entries = 1 << 16;  // of right-hand sides that change their order
constexpr Offset position_block = 1024;

void require_same(Offset expected, Offset given, const char* what) {
  if (expected == given) return;
  throw std::invalid_argument(fmt::format("{}: {}, not {}", what, given, expected));
}

// The power of two next to the largest magnitude; 1 for a vector of zeros or without a finite norm.
double binary_scale(std::span<const double> x) {
  double norm = 0;
  for (const double value : x) norm = std::max(norm, std::abs(value));
  return norm > 0 && std::isfinite(norm) ? std::exp2(std::ilogb(norm)) : 1.0;
}

}  // namespace

template <class T>
HostFrontFactors<T>::HostFrontFactors(ProductPtr tree, ProductPtr schedule, Pivoting pivoting,
                                      int threads)
    : tree_product_(std::move(tree)),
      schedule_product_(std::move(schedule)),
      tree_(product_cast<FrontTree>(*tree_product_)),
      schedule_(product_cast<FrontSchedule>(*schedule_product_)),
      threads_(schedule_.work < worthwhile_work ? 1 : std::max(1, threads)),
      solve_threads_(std::max(1, threads)),
      row_source_(pivoting == Pivoting::fixed_rows ? UninitializedArray<std::uint8_t>()
                                                   : UninitializedArray<std::uint8_t>(tree_.n)),
      values_(schedule_.values),
      inverse_pivot_(tree_.n),
      shared_arena_(schedule_.shared_arena),
      scratch_(static_cast<std::size_t>(threads_)),
      sweeps_({tree_, schedule_, values_.data(), inverse_pivot_.data(), row_source_.data()}) {
  const Offset right = Offset{round_up(schedule_.most_pivots, row_unit)} * diagonal_block;
  const auto count = static_cast<Offset>(threads_);
  checked_bytes(count, checked_bytes(std::max(schedule_.thread_arena, right), sizeof(T)));
  thread_arenas_ = UninitializedArray<T>(count * schedule_.thread_arena);
  right_ = UninitializedArray<T>(count * right);
  for (Offset t = 0; t < count; ++t) {
    scratch_[at(t)].arena = thread_arenas_.data() + t * schedule_.thread_arena;
    scratch_[at(t)].right = right_.data() + t * right;
  }
}

template <class T>
void HostFrontFactors<T>::prepare_scaling(const PermutedMatrix& matrix) {
  if (row_scale_ == matrix.row_scale && column_scale_ == matrix.col_scale) return;
  std::vector<double> scale(matrix.values.size());
  for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
    for (Offset p = matrix.pattern.row_ptr[at(i)]; p < matrix.pattern.row_ptr[at(i) + 1]; ++p) {
      scale[at(p)] = matrix.row_scale[at(i)] * matrix.col_scale[at(matrix.pattern.col_idx[at(p)])];
    }
  }
  entry_scale_.resize(scale.size());
  for (std::size_t e = 0; e < scale.size(); ++e) entry_scale_[e] = scale[at(tree_.entry_source[e])];
  row_scale_ = matrix.row_scale;
  column_scale_ = matrix.col_scale;
}

template <class T>
void HostFrontFactors<T>::refactor(const ProductPtr& product, StageContext& context) {
  const auto& matrix = product_cast<PermutedMatrix>(*product);
  require_same(tree_.n, matrix.pattern.n_rows, "the order of the matrix");
  require_same(static_cast<Offset>(tree_.entry_source.size()), matrix.pattern.nnz(),
               "the entries of the matrix");
  const auto scope = context.phases.scope("fronts");
  prepare_scaling(matrix);
  for (FrontScratch<T>& scratch : scratch_) {
    scratch.watch = {};
    scratch.watch.threshold = static_cast<T>(context.options.pivot_threshold * matrix.scaled_norm);
    scratch.largest_input = 0;
  }
  const FrontWork<T> work{tree_,
                          schedule_,
                          matrix.values.data(),
                          entry_scale_.data(),
                          values_.data(),
                          inverse_pivot_.data(),
                          shared_arena_.data(),
                          row_source_.data(),
                          observer_ ? &observer_ : nullptr};
  threads_ == 1 ? eliminate(work) : eliminate_with_all(work);
  report(context);
}

template <class T>
void HostFrontFactors<T>::eliminate(const FrontWork<T>& work) {
  FrontElimination<T> elimination(work, scratch_[0], scratch_[0], ThreadTeam());
  for (const FrontSubtree& subtree : schedule_.subtree) {
    for (Index f = subtree.begin; f < subtree.end; ++f) elimination.run(f);
  }
  for (const Index f : schedule_.above) elimination.run(f);
}

template <class T>
void HostFrontFactors<T>::eliminate_with_all(const FrontWork<T>& work) {
  std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads_)
  {
    const ThreadTeam team = ThreadTeam::of_region();
    FrontScratch<T>& own = scratch_[static_cast<std::size_t>(team.rank())];
    FrontElimination<T> alone(work, own, own, ThreadTeam());
    FrontElimination<T> together(work, own, scratch_[0], team);
    for (std::size_t s = next++; s < schedule_.subtree.size(); s = next++) {
      const FrontSubtree& subtree = schedule_.subtree[s];
      for (Index f = subtree.begin; f < subtree.end; ++f) alone.run(f);
    }
    team.wait();
    for (const Index f : schedule_.above) {
      if (schedule_.front[at(f)].flops() >= shared_front_flops) {
        team.wait();
        together.run(f);
      } else if (team.leads()) {
        alone.run(f);
      }
    }
  }
}

template <class T>
void HostFrontFactors<T>::report(StageContext& context) {
  FactorFigures figures;
  figures.precision = std::is_same_v<T, double> ? Precision::float64 : Precision::float32;
  Offset unusable = 0, exchanged = 0;
  double largest = 0, input = 0;
  for (const FrontScratch<T>& scratch : scratch_) {
    figures.perturbed_pivots += scratch.watch.perturbed;
    figures.largest_perturbation =
        std::max(figures.largest_perturbation, static_cast<double>(scratch.watch.largest_change));
    unusable += scratch.watch.unusable;
    exchanged += scratch.watch.exchanged;
    largest = std::max(largest, static_cast<double>(scratch.watch.largest));
    input = std::max(input, scratch.largest_input);
  }
  if (unusable > 0) {
    context.notes.warnings.push_back(
        {"unusable_pivots",
         fmt::format("{} pivots are zero or not finite; the factors are not usable", unusable)});
  } else if (input > 0 && std::isfinite(largest)) {
    figures.growth = largest / input;
  }
  if (row_source_.data() != nullptr) figures.exchanged_rows = exchanged;
  figures_ = figures;
}

template <class T>
void HostFrontFactors<T>::solve(VectorBlock& x, std::string_view method) const {
  solve(x, method, false);
}

template <class T>
void HostFrontFactors<T>::solve_transposed(VectorBlock& x, std::string_view method) const {
  solve(x, method, true);
}

template <class T>
void HostFrontFactors<T>::solve(VectorBlock& x, std::string_view method, bool transposed) const {
  if (method != "subtrees") {
    throw Error(Outcome::unsupported, "solve_method",
                fmt::format("fronts on the host are solved by subtrees, not by {}", method));
  }
  auto& block = dynamic_cast<HostVectorBlock&>(x);
  require_same(tree_.n, block.rows(), "the rows of the right-hand sides");
  for (Index c = 0; c < block.columns(); c += most_sides) {
    solve_columns(block, c, std::min(block.columns() - c, most_sides), transposed);
  }
}

// `count` columns from `first` on, and columns of zeros beside them up to what kernels take.
template <class T>
void HostFrontFactors<T>::solve_columns(HostVectorBlock& block, Index first, Index count,
                                        bool transposed) const {
  const bool alone = count == 1 && !transposed;
  const auto sides = alone ? Index{1} : static_cast<Index>(round_up(count, row_unit));
  const Offset entries = Offset{tree_.n} * sides;
  if (y_.size() < entries) y_ = UninitializedArray<T>(entries);
  std::array<double*, most_sides> column{};
  std::array<double, most_sides> scale{};
  const int threads = threads_for(entries, worthwhile_entries, solve_threads_);
  parallel_for(count, threads, [&](Offset s) {
    const auto values = block.column(first + static_cast<Index>(s));
    column[at(s)] = values.data();
    scale[at(s)] = binary_scale(values);
  });
  // Calls body(k, label) for all positions.
  const auto for_positions = [&](const auto& body) {
    parallel_for((tree_.n + position_block - 1) / position_block, threads, [&](Offset piece) {
      const Offset end = std::min<Offset>(tree_.n, (piece + 1) * position_block);
      for (Offset k = piece * position_block; k < end; ++k) body(k, tree_.label[at(k)]);
    });
  };
  for_positions([&](Offset k, Index label) {
    if (alone) {
      y_[k] = static_cast<T>(column[0][label] / scale[0]);
      return;
    }
    T* const to = y_.data() + k * sides;
    for (Index s = 0; s < count; ++s) to[s] = static_cast<T>(column[at(s)][label] / scale[at(s)]);
    std::fill(to + count, to + sides, T(0));
  });
  if (transposed) {
    sweeps_.run_transposed(y_.data(), sides, solve_threads_);
  } else {
    sweeps_.run(y_.data(), sides, solve_threads_);
  }
  for_positions([&](Offset k, Index label) {
    if (alone) {
      column[0][label] = scale[0] * static_cast<double>(y_[k]);
      return;
    }
    const T* const from = y_.data() + k * sides;
    for (Index s = 0; s < count; ++s) {
      column[at(s)][label] = scale[at(s)] * static_cast<double>(from[s]);
    }
  });
}

template <class T>
std::vector<double> HostFrontFactors<T>::stored_values() const {
  return stored_form<T>(
      {tree_, schedule_, values_.data(), inverse_pivot_.data(), row_source_.data()});
}

template <class T>
std::vector<std::uint8_t> HostFrontFactors<T>::row_sources() const {
  std::vector<std::uint8_t> result(row_source_.data(), row_source_.data() + row_source_.size());
  if (result.empty()) return result;
  for (const FrontShape& shape : shapes()) {
    if (!shape.small()) std::fill_n(result.begin() + shape.first, shape.pivots, std::uint8_t{0});
  }
  return result;
}

template <class T>
std::vector<double> HostFrontFactors<T>::pivot_sizes() const {
  std::vector<double> sizes(at(tree_.n));
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sizes[k] = std::abs(1 / static_cast<double>(inverse_pivot_.data()[k]));
  }
  return sizes;
}

template <class T>
std::vector<FrontShape> HostFrontFactors<T>::shapes() const {
  return stored_shapes(tree_).shape;
}

template class HostFrontFactors<float>;
template class HostFrontFactors<double>;

}  // namespace lufact
