// SPDX-License-Identifier: BSD-3-Clause
// KLU of SuiteSparse: sequential left-looking LU of the diagonal blocks of a block triangular form
// (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37, 2010). Takes A by columns, as its users have
// it. All settings are the library's defaults but the ordering of `klu-colamd`. Of many systems
// with one pattern there is one analysis; each has factors of its own, and a thread works on one
// alone.
#include <exception>
#include <memory>

#include "baselines/peers/plugins/klu_objects.hpp"
#include "baselines/peers/plugins/systems_solver.hpp"

namespace lufact::peers {
namespace {

constexpr int amd_ordering = 0, colamd_ordering = 1;

class Klu final : public Solver, public SystemsSolver {
 public:
  explicit Klu(const lufact_peer_options& options) : given_threads_(options.threads) {
    if (std::string(options.variant) == "colamd") klu_.common.ordering = colamd_ordering;
  }

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.threads = threads();
    facts.library = "SuiteSparse KLU";
    facts.version = klu_version();
    facts.scaling = "largest entry of each row";
    facts.ordering = klu_.common.ordering == amd_ordering ? "btf + amd" : "btf + colamd";
    facts.symbolic = "of each block, with its ordering";
    facts.numeric = "left-looking Gilbert-Peierls, partial pivoting";
    facts.solve = "sequential, no refinement";
    facts.fused = {{"scale", "numeric"}, {"symbolic", "order"}};
    facts.settings = {{"pivot_tolerance", std::to_string(klu_.common.tol)}};
    if (klu_.symbolic != nullptr) {
      facts.settings.emplace_back("diagonal_blocks", std::to_string(klu_.symbolic->nblocks));
      facts.settings.emplace_back("largest_block", std::to_string(klu_.symbolic->maxblock));
    }
    return facts;
  }

  void set_systems(std::int32_t count) override {
    clear();
    count_ = count;
    others_.clear();
    for (std::int32_t k = 1; k < count; ++k) {
      others_.push_back(std::make_unique<KluObjects>("column"));
    }
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    clear();
    columns_ = narrow_offsets(n, offsets);
    rows_ = indices;
    n_ = n;
  }
  void set_values(const double* values) override { values_ = values; }

  // KLU declares its inputs without const and does not write to them.
  Step order() override {
    klu_.symbolic = klu_analyze(n_, columns_.data(), const_cast<int*>(rows_), &klu_.common);
    if (klu_.common.status == KLU_SINGULAR) {
      throw Failure(LUFACT_PEER_SINGULAR_STRUCTURAL,
                    "KLU finds a structural rank of " +
                        std::to_string(klu_.common.structural_rank) + " of " + std::to_string(n_));
    }
    if (klu_.symbolic == nullptr) klu_.fail("klu_analyze");
    for (auto& other : others_) other->common = klu_.common;
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    for_all([this](KluObjects& system, std::size_t k) {
      system.numeric = klu_factor(columns_.data(), const_cast<int*>(rows_), values_of(k),
                                  klu_.symbolic, &system.common);
      if (system.numeric == nullptr) system.fail("klu_factor");
    });
  }
  void refactor() override {
    for_all([this](KluObjects& system, std::size_t k) {
      if (klu_refactor(columns_.data(), const_cast<int*>(rows_), values_of(k), klu_.symbolic,
                       system.numeric, &system.common) == 0) {
        system.fail("klu_refactor");
      }
    });
  }

  void set_rhs(std::int32_t columns, const double* b) override {
    x_.assign(b, b + static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_));
    rhs_ = columns;
  }
  void solve() override {
    const auto solves = transposed_ ? klu_tsolve : klu_solve;
    const int columns = count_ == 1 ? rhs_ : 1;
    for_all([&](KluObjects& system, std::size_t k) {
      double* const x = x_.data() + k * static_cast<std::size_t>(n_);
      if (solves(klu_.symbolic, system.numeric, n_, columns, x, &system.common) == 0) {
        system.fail(transposed_ ? "klu_tsolve" : "klu_solve");
      }
    });
  }
  void transpose(bool transposed) override { transposed_ = transposed; }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    if (klu_.numeric == nullptr) return figures;
    figures.nnz_l = std::int64_t{klu_.numeric->lnz} - n_;
    figures.nnz_u = std::int64_t{klu_.numeric->unz} + klu_.numeric->nzoff;
    figures.flops = klu_.flops();
    return figures;
  }

  void clear() override {
    for (auto& other : others_) other->clear();
    klu_.clear();
    columns_.clear();
    x_ = {};
  }

 private:
  int threads() const { return std::min<int>(given_threads_, count_); }

  double* values_of(std::size_t system) const {
    return const_cast<double*>(values_) + system * static_cast<std::size_t>(columns_.back());
  }

  // Of all systems, side by side; throws what the first that failed has thrown.
  template <class Body>
  void for_all(const Body& body) {
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count_));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads()) if (count_ > 1)
    for (std::size_t k = 0; k < failures.size(); ++k) {
      try {
        body(k == 0 ? klu_ : *others_[k - 1], k);
      } catch (...) {
        failures[k] = std::current_exception();
      }
    }
    for (std::size_t k = 0; k < failures.size(); ++k) {
      if (failures[k]) rethrow(failures[k], k);
    }
  }

  // Of several systems with the number of the one that failed.
  [[noreturn]] void rethrow(const std::exception_ptr& thrown, std::size_t system) const {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      if (count_ == 1) throw;
      throw Failure(failure.status(), "system " + std::to_string(system) + ": " + failure.what());
    }
  }

  const int given_threads_;
  mutable KluObjects klu_{"column"};  // KLU counts operations into its settings
  // Settings and factors of the systems behind the first, whose analysis is that of all.
  std::vector<std::unique_ptr<KluObjects>> others_;
  std::int32_t count_ = 1, n_ = 0, rhs_ = 0;
  std::vector<int> columns_;
  const std::int32_t* rows_ = nullptr;
  const double* values_ = nullptr;
  std::vector<double> x_;
  bool transposed_ = false;
};

constexpr lufact_peer_text variants[] = {{"colamd", "COLAMD within the blocks, not AMD"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Klu>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api = [] {
    lufact_peer_api made =
        make_api<make>("klu", "SuiteSparse KLU: block triangular form, one thread", variants);
    add_systems_call(made);
    return made;
  }();
  return &api;
}
