// SPDX-License-Identifier: BSD-3-Clause
#include "core/dense/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lufact {
namespace {

constexpr int most_steps = 30, most_corrections = 10, most_iterations = 50;
constexpr double enough_of_a_correction = 1e-4;  // GMRES: of the preconditioned residual

// Saad and Schultz, SIAM J. Sci. Stat. Comput. 7, 1986.
class Gmres {
 public:
  explicit Gmres(RefinedColumns& columns) : columns_(columns) {}

  // The candidate of a column; sizes of it.
  RefinedSizes correct(Index column) {
    start(column);
    int k = 0;
    while (k < most_iterations && std::abs(right_[at(k)]) > enough_of_a_correction * size_) {
      if (!iterate(k++)) break;
    }
    return columns_.combine_krylov(column, factors(k));
  }

 private:
  void start(Index column) {
    size_ = columns_.start_krylov(column);
    right_.assign(at(most_iterations) + 1, 0.0);
    right_[0] = size_;
    hessenberg_.clear();
    rotations_.clear();
  }

  // False where the space is exhausted.
  bool iterate(int k) {
    std::vector<double> h = columns_.extend_krylov(k);
    const double left = h[at(k) + 1];
    rotate(h, k);
    hessenberg_.push_back(std::move(h));
    return left > 0 && std::isfinite(left);
  }

  // Givens rotations keep the Hessenberg matrix triangular.
  void rotate(std::vector<double>& h, int k) {
    for (int j = 0; j < k; ++j) {
      const auto [c, s] = rotations_[at(j)];
      const double above = c * h[at(j)] + s * h[at(j) + 1];
      h[at(j) + 1] = -s * h[at(j)] + c * h[at(j) + 1];
      h[at(j)] = above;
    }
    const double length = std::hypot(h[at(k)], h[at(k) + 1]);
    const double c = length > 0 ? h[at(k)] / length : 1, s = length > 0 ? h[at(k) + 1] / length : 0;
    rotations_.push_back({c, s});
    h[at(k)] = length;
    h[at(k) + 1] = 0;
    right_[at(k) + 1] = -s * right_[at(k)];
    right_[at(k)] *= c;
  }

  std::vector<double> factors(int k) const {
    std::vector<double> y(right_.begin(), right_.begin() + k);
    for (int j = k - 1; j >= 0; --j) {
      for (int i = j + 1; i < k; ++i) y[at(j)] -= hessenberg_[at(i)][at(j)] * y[at(i)];
      y[at(j)] /= hessenberg_[at(j)][at(j)];
    }
    return y;
  }

  struct Rotation {
    double c, s;
  };

  RefinedColumns& columns_;
  double size_ = 0;
  std::vector<double> right_;
  std::vector<std::vector<double>> hessenberg_;
  std::vector<Rotation> rotations_;
};

class Refinement {
 public:
  explicit Refinement(RefinedColumns& columns)
      : columns_(columns),
        norm_(columns.matrix_norm()),
        target_(2 * std::sqrt(columns.order()) * std::numeric_limits<double>::epsilon()) {
    for (const double size : columns.right_hand_sides()) states_.push_back({.right = size});
  }

  RefinementRecord run() {
    record_.method = "classical";
    for (int step = 0; step <= most_steps && classical_step(); ++step) {
      record_.steps = step;
      add_history();
    }
    if (std::ranges::any_of(states_, [](const State& state) { return state.stagnant; })) {
      correct_all();
    }
    return std::move(record_);
  }

 private:
  struct State {
    double right = 0;  // the largest magnitude of b
    double error = std::numeric_limits<double>::infinity();
    bool stagnant = false;
  };

  std::vector<Index> open_columns() const {
    std::vector<Index> open;
    for (Index c = 0; c < columns_.columns(); ++c) {
      if (!states_[at(c)].stagnant && !(states_[at(c)].error <= target_)) open.push_back(c);
    }
    return open;
  }

  // One more correction of every column that needs it, all at once; false where none does.
  bool classical_step() {
    const std::vector<Index> open = open_columns();
    if (open.empty()) return false;
    const std::vector<RefinedSizes> sizes = columns_.correct(open);
    for (std::size_t k = 0; k < open.size(); ++k) take_if_better(open[k], sizes[k]);
    return true;
  }

  // A candidate that does not halve the error ends the steps of its kind.
  void take_if_better(Index column, const RefinedSizes& sizes) {
    State& state = states_[at(column)];
    const double size = norm_ * sizes.solution + state.right;
    const double error = sizes.residual == 0 ? 0 : sizes.residual / size;
    state.stagnant = !(error <= state.error / 2) && !(error <= target_);
    if (!(error < state.error)) return;
    state.error = error;
    columns_.take(column);
  }

  void correct_all() {
    if (!columns_.open_krylov(most_iterations + 1)) return;
    record_.method = "gmres";
    Gmres gmres(columns_);
    for (State& state : states_) state.stagnant = false;
    for (int correction = 0; correction < most_corrections; ++correction) {
      const std::vector<Index> open = open_columns();
      if (open.empty()) return;
      for (const Index column : open) take_if_better(column, gmres.correct(column));
      ++record_.steps;
      add_history();
    }
  }

  void add_history() {
    double worst = 0;
    for (const State& state : states_) worst = std::max(worst, state.error);
    record_.history.push_back(worst);
  }

  RefinedColumns& columns_;
  const double norm_, target_;
  std::vector<State> states_;
  RefinementRecord record_;
};

}  // namespace

RefinementRecord refine(RefinedColumns& columns) {
  return Refinement(columns).run();
}

}  // namespace lufact
