// SPDX-License-Identifier: BSD-3-Clause
// PARDISO of Intel oneMKL: supernodal LU on all cores (O. Schenk, K. Gaertner, FGCS 20, 2004).
// Takes A by rows, counted from 0.
// iparm[k] below is iparm(k+1) of the manual. What is set differs from the manual's default only
// where the comment says so.
#include <array>

#include "baselines/peers/plugins/mkl_library.hpp"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

using PardisoInit = void(void* pt, const int* mtype, int* iparm);
using Pardiso = void(void* pt, const int* maxfct, const int* mnum, const int* mtype,
                     const int* phase, const int* n, const void* a, const int* ia, const int* ja,
                     int* perm, const int* nrhs, int* iparm, const int* msglvl, void* b, void* x,
                     int* error);

constexpr int real_unsymmetric = 11;
constexpr int analysis = 11, factorization = 22, solution = 33, release_all = -1;
constexpr int minimum_degree = 0, nested_dissection = 2, parallel_nested_dissection = 3;

class MklPardiso final : public Solver {
 public:
  explicit MklPardiso(const lufact_peer_options& options)
      : mkl_(options.search_path, MklLibrary::Threading::gnu, options.threads),
        pardiso_(mkl_.functions().function<Pardiso>("pardiso")),
        given_threads_(options.threads) {
    const std::string variant = options.variant;
    if (variant == "amd") ordering_ = minimum_degree;
    if (variant == "pnd") ordering_ = parallel_nested_dissection;
  }
  ~MklPardiso() override { release(); }
  MklPardiso(const MklPardiso&) = delete;
  MklPardiso& operator=(const MklPardiso&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_ROW;
    facts.threads = mkl_.threads();
    facts.library = "Intel oneMKL PARDISO";
    facts.version = mkl_.version();
    facts.scaling = "maximum weight matching with scaling";
    facts.ordering = ordering_ == minimum_degree      ? "minimum degree"
                     : ordering_ == nested_dissection ? "metis nested dissection"
                                                      : "parallel nested dissection";
    facts.symbolic = "supernodal, with its ordering";
    facts.numeric = "supernodal, static pivoting";
    facts.solve = "up to 2 refinement steps of its own";
    facts.fused = {{"scale", "order"}, {"symbolic", "order"}};
    facts.settings = {{"threading", mkl_.threading()}, {"iparm(2)", std::to_string(ordering_)}};
    warn_on_one_thread(facts, given_threads_, mkl_.why_one_thread());
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    clear();
    rows_ = narrow_offsets(n, offsets);
    columns_ = indices;
    n_ = n;
    mkl_.functions().function<PardisoInit>("pardisoinit")(handle_.data(), &real_unsymmetric,
                                                          iparm_.data());
    iparm_[0] = 1;          // what follows is set, not left to the library
    iparm_[1] = ordering_;  // default nested_dissection
    iparm_[11] = transposed_ ? 2 : 0;
    iparm_[17] = -1;  // report nnz(L+U)
    iparm_[34] = 1;   // count from 0 (default: from 1)
  }
  void set_values(const double* values) override { values_ = values; }

  Step order() override {
    if (n_ > 0) execute(analysis, "analysis");
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }
  void factor() override {
    if (n_ > 0) execute(factorization, "factorization");
  }
  void refactor() override { factor(); }

  void set_rhs(std::int32_t columns, const double* b) override {
    b_ = b;
    rhs_ = columns;
    x_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_));
  }
  void solve() override {
    if (n_ > 0) execute(solution, "solve");
    refinement_steps_ = iparm_[6];
  }
  void transpose(bool transposed) override { transposed_ = transposed; }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = refinement_steps_;
    figures.nnz_lu = iparm_[17];
    figures.perturbed_pivots = iparm_[13];
    return figures;
  }

  void clear() override {
    release();
    rows_.clear();
    x_ = {};
    refinement_steps_ = -1;
  }

 private:
  // The library declares its inputs without const and does not write to them.
  int run(int phase) noexcept {
    int error = 0;
    const int one = 1, silent = 0;
    pardiso_(handle_.data(), &one, &one, &real_unsymmetric, &phase, &n_, values_, rows_.data(),
             columns_, nullptr, &rhs_, iparm_.data(), &silent, const_cast<double*>(b_), x_.data(),
             &error);
    started_ = phase != release_all;
    return error;
  }

  void release() noexcept {
    if (started_) run(release_all);
    handle_ = {};
  }

  void execute(int phase, const std::string& what) {
    const int error = run(phase);
    switch (error) {
      case 0:
        return;
      case -2:
      case -9:
        throw Failure(LUFACT_PEER_OOM_HOST, what + ": out of memory");
      case -4:
        throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, what + ": a pivot is zero");
      case -7:
        throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, what + ": a diagonal block is singular");
      case -8:
        throw Failure(LUFACT_PEER_UNSUPPORTED, what + ": the factors overflow 32-bit integers");
      default:
        throw Failure(LUFACT_PEER_ERROR, what + ": error " + std::to_string(error));
    }
  }

  MklLibrary mkl_;
  Pardiso* pardiso_;
  int given_threads_;
  int ordering_ = nested_dissection;
  std::array<void*, 64> handle_{};
  std::array<int, 64> iparm_{};
  bool started_ = false, transposed_ = false;
  std::int32_t n_ = 0, rhs_ = 1;
  std::vector<int> rows_;
  const std::int32_t* columns_ = nullptr;
  const double *values_ = nullptr, *b_ = nullptr;
  std::vector<double> x_;
  int refinement_steps_ = -1;
};

constexpr lufact_peer_text variants[] = {
    {"amd", "minimum degree instead of METIS nested dissection"},
    {"pnd", "the parallel nested dissection instead of METIS"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<MklPardiso>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api =
      make_api<make>("pardiso", "Intel oneMKL PARDISO: supernodal, all cores", variants);
  return &api;
}
