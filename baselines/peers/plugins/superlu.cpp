// SPDX-License-Identifier: BSD-3-Clause
// SuperLU, the sequential one: supernodal left-looking LU with partial pivoting (J. W. Demmel,
// S. C. Eisenstat, J. R. Gilbert, X. S. Li, J. W. H. Liu, SIMAX 20, 1999). Takes A by columns. As
// its simple driver dgssv does, without equilibration and refinement.
#include <btf.h>
#include <slu_ddefs.h>

#include <chrono>

#include "baselines/peers/plugins/blas.hpp"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

class SuperLu final : public Solver {
 public:
  explicit SuperLu(const lufact_peer_options& options) {
    set_default_options(&options_);
    if (std::string(options.variant) == "mmd") options_.ColPerm = MMD_AT_PLUS_A;
    set_blas_threads(1);
    StatInit(&statistics_);
  }
  ~SuperLu() override {
    release();
    StatFree(&statistics_);
  }
  SuperLu(const SuperLu&) = delete;
  SuperLu& operator=(const SuperLu&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_COLUMN;
    facts.library = "SuperLU";
    facts.version = std::to_string(SUPERLU_MAJOR_VERSION) + "." +
                    std::to_string(SUPERLU_MINOR_VERSION) + "." +
                    std::to_string(SUPERLU_PATCH_VERSION);
    facts.ordering = options_.ColPerm == COLAMD ? "colamd" : "minimum degree of A+A'";
    facts.numeric = "supernodal left-looking, partial pivoting, its symbolic step within";
    facts.solve = "sequential, no refinement";
    facts.fused = {{"symbolic", "numeric"}};
    facts.settings = {{"blas", blas_name()},
                      {"pivot_threshold", std::to_string(options_.DiagPivotThresh)}};
    if (n_ > 0) facts.settings.emplace_back("rank_check_s", std::to_string(rank_check_seconds_));
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    clear();
    n_ = n;
    columns_ = narrow_offsets(n, offsets);
    rows_ = indices;
    require_full_structural_rank();
  }
  void set_values(const double* values) override { values_ = values; }

  Step order() override {
    const auto size = static_cast<std::size_t>(n_);
    column_order_.resize(size);
    row_order_.resize(size);
    tree_.resize(size);
    // SuperLU declares its inputs without const and does not write to them.
    dCreate_CompCol_Matrix(&a_, n_, n_, columns_.back(), const_cast<double*>(values_),
                           const_cast<int*>(rows_), columns_.data(), SLU_NC, SLU_D, SLU_GE);
    has_matrix_ = true;
    get_perm_c(options_.ColPerm, &a_, column_order_.data());
    sp_preorder(&options_, &a_, column_order_.data(), tree_.data(), &permuted_);
    has_permuted_ = true;
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    release_factors();
    static_cast<NCPformat*>(permuted_.Store)->nzval = const_cast<double*>(values_);
    int info = 0;
    GlobalLU_t global{};
    statistics_.ops[FACT] = 0;
    dgstrf(&options_, &permuted_, sp_ienv(2), sp_ienv(1), tree_.data(), nullptr, 0,
           column_order_.data(), row_order_.data(), &l_, &u_, &global, &statistics_, &info);
    if (info > n_) throw Failure(LUFACT_PEER_OOM_HOST, "dgstrf: out of memory");
    has_factors_ = true;
    if (info != 0) {
      throw Failure(LUFACT_PEER_SINGULAR_NUMERIC,
                    "dgstrf: the pivot of column " + std::to_string(info - 1) + " is zero");
    }
  }
  // The column ordering and its tree are kept; rows are pivoted anew.
  void refactor() override { factor(); }

  void set_rhs(std::int32_t columns, const double* b) override {
    x_.assign(b, b + static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_));
    rhs_ = columns;
  }
  void solve() override {
    SuperMatrix b;
    int info = 0;
    dCreate_Dense_Matrix(&b, n_, rhs_, x_.data(), n_, SLU_DN, SLU_D, SLU_GE);
    dgstrs(transposed_ ? TRANS : NOTRANS, &l_, &u_, column_order_.data(), row_order_.data(), &b,
           &statistics_, &info);
    Destroy_SuperMatrix_Store(&b);
    if (info != 0) throw Failure(LUFACT_PEER_ERROR, "dgstrs: info " + std::to_string(info));
  }
  void transpose(bool transposed) override { transposed_ = transposed; }
  void get_solution(double* x) override { std::copy(x_.begin(), x_.end(), x); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.refinement_steps = 0;
    if (!has_factors_) return figures;
    const auto* l = static_cast<const SCformat*>(l_.Store);
    figures.nnz_l = std::int64_t{l->nnz} - n_;
    figures.nnz_u = static_cast<const NCformat*>(u_.Store)->nnz;
    figures.supernodes = l->nsuper + 1;
    figures.flops = static_cast<double>(statistics_.ops[FACT]);
    return figures;
  }

  void clear() override {
    release();
    columns_.clear();
    x_ = {};
  }

 private:
  // dgstrf looks for the pivot of a column without rows left beyond the end of its supernode. This
  // is no step of the library's and is timed within `transfer`: the settings say how long it took.
  void require_full_structural_rank() {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto size = static_cast<std::size_t>(n_);
    std::vector<int> match(size), work(5 * size);
    double effort = 0;
    const int rank = btf_maxtrans(n_, n_, columns_.data(), const_cast<int*>(rows_), 0, &effort,
                                  match.data(), work.data());
    rank_check_seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    if (rank == n_) return;
    throw Failure(LUFACT_PEER_SINGULAR_STRUCTURAL,
                  "the structural rank is " + std::to_string(rank) + " of " + std::to_string(n_) +
                      ", which SuperLU does not survive");
  }
  void release_factors() noexcept {
    if (has_factors_) {
      Destroy_SuperNode_Matrix(&l_);
      Destroy_CompCol_Matrix(&u_);
    }
    has_factors_ = false;
  }
  void release() noexcept {
    release_factors();
    if (has_permuted_) Destroy_CompCol_Permuted(&permuted_);
    if (has_matrix_) Destroy_SuperMatrix_Store(&a_);
    has_permuted_ = has_matrix_ = false;
  }

  superlu_options_t options_{};
  SuperLUStat_t statistics_{};
  SuperMatrix a_{}, permuted_{}, l_{}, u_{};
  bool has_matrix_ = false, has_permuted_ = false, has_factors_ = false;
  double rank_check_seconds_ = 0;
  std::int32_t n_ = 0, rhs_ = 0;
  std::vector<int> columns_, column_order_, row_order_, tree_;
  const std::int32_t* rows_ = nullptr;
  const double* values_ = nullptr;
  std::vector<double> x_;
  bool transposed_ = false;
};

constexpr lufact_peer_text variants[] = {{"mmd", "minimum degree of A+A' instead of COLAMD"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<SuperLu>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api =
      make_api<make>("superlu", "SuperLU: supernodal, one thread", variants);
  return &api;
}
