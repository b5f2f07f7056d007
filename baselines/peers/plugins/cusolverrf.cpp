// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA cusolverRf: refactorization on the device of factors that were computed on the host, here
// by KLU, as codes for power grids do it. The first factorization and its solve are KLU's; its
// factors then go to the device, where new values with the same pivots are factored and solved.
// That hand-over is part of the first factorization, and the settings say how long it took. Takes A
// by rows. The header is needed to build, the library is loaded at run time.
#define DISABLE_CUSOLVER_DEPRECATED
#include <cuda_runtime_api.h>
#include <cusolverRf.h>

#include <array>
#include <chrono>

#include "baselines/peers/plugins/cuda_arrays.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"
#include "baselines/peers/plugins/jit_caches.hpp"
#include "baselines/peers/plugins/klu_by_row.hpp"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

#define LUFACT_STRING(text) LUFACT_QUOTED(text)
#define LUFACT_QUOTED(text) #text
const char library_file[] = "libcusolver.so." LUFACT_STRING(CUSOLVER_VER_MAJOR);

const char how_to_get[] =
    "install the CUDA toolkit of the version that lufact was built with, and set "
    "LUFACT_CUSOLVER_ROOT to the folder of that file if the loader does not find it";

// The functions of the library that are used.
struct CusolverApi {
  explicit CusolverApi(const ForeignLibrary& library)
      : get_property(library.function<decltype(cusolverGetProperty)>("cusolverGetProperty")),
        create(library.function<decltype(cusolverRfCreate)>("cusolverRfCreate")),
        destroy(library.function<decltype(cusolverRfDestroy)>("cusolverRfDestroy")),
        set_matrix_format(
            library.function<decltype(cusolverRfSetMatrixFormat)>("cusolverRfSetMatrixFormat")),
        set_algs(library.function<decltype(cusolverRfSetAlgs)>("cusolverRfSetAlgs")),
        set_fast_mode(library.function<decltype(cusolverRfSetResetValuesFastMode)>(
            "cusolverRfSetResetValuesFastMode")),
        setup_host(library.function<decltype(cusolverRfSetupHost)>("cusolverRfSetupHost")),
        analyze(library.function<decltype(cusolverRfAnalyze)>("cusolverRfAnalyze")),
        reset_values(library.function<decltype(cusolverRfResetValues)>("cusolverRfResetValues")),
        refactor(library.function<decltype(cusolverRfRefactor)>("cusolverRfRefactor")),
        solve(library.function<decltype(cusolverRfSolve)>("cusolverRfSolve")) {}

  decltype(cusolverGetProperty)* get_property;
  decltype(cusolverRfCreate)* create;
  decltype(cusolverRfDestroy)* destroy;
  decltype(cusolverRfSetMatrixFormat)* set_matrix_format;
  decltype(cusolverRfSetAlgs)* set_algs;
  decltype(cusolverRfSetResetValuesFastMode)* set_fast_mode;
  decltype(cusolverRfSetupHost)* setup_host;
  decltype(cusolverRfAnalyze)* analyze;
  decltype(cusolverRfResetValues)* reset_values;
  decltype(cusolverRfRefactor)* refactor;
  decltype(cusolverRfSolve)* solve;
};

void check(cusolverStatus_t status, const std::string& what) {
  switch (status) {
    case CUSOLVER_STATUS_SUCCESS:
      return;
    case CUSOLVER_STATUS_ALLOC_FAILED:
      throw Failure(LUFACT_PEER_OOM_DEVICE, what + ": allocation failed");
    case CUSOLVER_STATUS_ZERO_PIVOT:
      throw Failure(LUFACT_PEER_SINGULAR_NUMERIC, what + ": a pivot is zero");
    case CUSOLVER_STATUS_NOT_SUPPORTED:
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      throw Failure(LUFACT_PEER_UNSUPPORTED,
                    what + ": not supported (status " + std::to_string(status) + ")");
    default:
      throw Failure(LUFACT_PEER_ERROR, what + ": cuSOLVER status " + std::to_string(status));
  }
}

ForeignLibrary load(const std::vector<std::string>& folders) {
  for (const char* needed :
       {"libnvJitLink.so.13", "libnvJitLink.so.12", "libcublasLt.so.13", "libcublasLt.so.12",
        "libcublas.so.13", "libcublas.so.12", "libcusparse.so.12"}) {
    ForeignLibrary::load_needed(folders, needed);
  }
  return ForeignLibrary(folders, {library_file}, how_to_get);
}

class CusolverRf final : public Solver {
 public:
  explicit CusolverRf(const lufact_peer_options& options)
      : library_(load(library_folders(options.search_path, "LUFACT_CUSOLVER_ROOT"))),
        api_(library_),
        jit_cache_(cuda_jit_cache()) {
    if (std::string(options.variant) == "alg2") {
      factorization_ = CUSOLVERRF_FACTORIZATION_ALG2;
      triangular_ = CUSOLVERRF_TRIANGULAR_SOLVE_ALG2;
    }
    open_device(options.device);
    make_handle();  // what the library sets up once is part of `init`
    destroy_handle();
  }
  ~CusolverRf() override { release(); }
  CusolverRf(const CusolverRf&) = delete;
  CusolverRf& operator=(const CusolverRf&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_ROW;
    facts.on_device = true;
    facts.library = "NVIDIA cusolverRf with SuiteSparse KLU";
    facts.version = version();
    facts.ordering = "amd, by KLU on the host";
    facts.symbolic = "KLU's, with its ordering";
    facts.numeric =
        "first KLU on the host, partial pivoting; then cusolverRf on the device with its pivots";
    facts.solve = "first KLU on the host, then cusolverRf; no refinement";
    facts.fused = {{"symbolic", "order"}};
    facts.settings = {{"factorization_alg", std::to_string(factorization_)},
                      {"triangular_solve_alg", std::to_string(triangular_)},
                      {"reset_values_fast_mode", "on"},
                      {"klu", klu_version() + ", without btf and scaling"},
                      {"cuda_jit_cache", jit_cache_}};
    if (on_device_) {
      facts.settings.emplace_back("klu_factor_s", std::to_string(klu_seconds_));
      facts.settings.emplace_back("hand_over_s", std::to_string(hand_over_seconds_));
    }
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    release();
    n_ = n;
    indices_ = indices;
    klu_.set_pattern(n, offsets, indices);
    const auto size = static_cast<std::size_t>(n);
    nnz_ = klu_.row_offsets()[size];
    row_offsets_.upload(klu_.row_offsets(), size + 1, traffic_);
    columns_.upload(indices, static_cast<std::size_t>(nnz_), traffic_);
    values_.resize(static_cast<std::size_t>(nnz_));
  }
  // The first ones are for KLU alone.
  void set_values(const double* values) override {
    host_values_ = values;
    if (on_device_) values_.upload(values, values_.size(), traffic_);
  }

  Step order() override {
    klu_.analyze();
    return Step::done;
  }
  Step symbolic() override { return Step::fused; }

  void factor() override {
    const auto begin = Clock::now();
    klu_.factor(host_values_);
    const auto factored = Clock::now();
    hand_over();
    klu_seconds_ = seconds(factored - begin);
    hand_over_seconds_ = seconds(Clock::now() - factored);
  }

  void refactor() override {
    check(api_.reset_values(n_, nnz_, row_offsets_.data(), columns_.data(), values_.data(),
                            p_.data(), q_.data(), handle_),
          "cusolverRfResetValues");
    check(api_.refactor(handle_), "cusolverRfRefactor");
    cuda_check(cudaDeviceSynchronize(), "cusolverRfRefactor");
    refactored_ = true;
  }

  void set_rhs(std::int32_t columns, const double* b) override {
    rhs_ = columns;
    const std::size_t size = static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns);
    if (refactored_) {
      x_.upload(b, size, traffic_);
    } else {
      host_x_.assign(b, b + size);
    }
  }
  void solve() override {
    if (!refactored_) {
      klu_.solve(rhs_, host_x_.data());
      return;
    }
    // The library solves for one right-hand side at a time, and leaves the solution in its place.
    for (std::int32_t c = 0; c < rhs_; ++c) {
      double* x = x_.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(n_);
      check(api_.solve(handle_, p_.data(), q_.data(), 1, work_.data(), n_, x, n_),
            "cusolverRfSolve");
    }
    cuda_check(cudaDeviceSynchronize(), "cusolverRfSolve");
  }
  void get_solution(double* x) override {
    if (refactored_) {
      x_.download(x, traffic_);
    } else {
      std::copy(host_x_.begin(), host_x_.end(), x);
    }
  }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.bytes_h2d = traffic_.h2d;
    figures.bytes_d2h = traffic_.d2h;
    figures.refinement_steps = 0;
    figures.nnz_l = klu_.nnz_l();
    figures.nnz_u = klu_.nnz_u();
    figures.flops = flops_;
    return figures;
  }

  void clear() override { release(); }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  std::string version() const {
    std::array<int, 3> parts{};
    constexpr std::array properties{MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      check(api_.get_property(properties[k], &parts[k]), "cusolverGetProperty");
    }
    return std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." +
           std::to_string(parts[2]);
  }

  void make_handle() { check(api_.create(&handle_), "cusolverRfCreate"); }
  void destroy_handle() noexcept {
    if (handle_ != nullptr) api_.destroy(handle_);
    handle_ = nullptr;
  }

  // KLU's factors and permutations to the device, and the library's own analysis of them. The
  // library declares its inputs without const and does not write to them.
  void hand_over() {
    RowFactors f = klu_.factors();
    flops_ = klu_.flops();
    destroy_handle();
    make_handle();
    check(api_.set_algs(handle_, factorization_, triangular_), "cusolverRfSetAlgs");
    check(api_.set_matrix_format(handle_, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                 CUSOLVERRF_UNIT_DIAGONAL_STORED_L),
          "cusolverRfSetMatrixFormat");
    check(api_.set_fast_mode(handle_, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON),
          "cusolverRfSetResetValuesFastMode");
    check(api_.setup_host(n_, nnz_, klu_.row_offsets(), const_cast<int*>(indices_),
                          const_cast<double*>(host_values_), static_cast<int>(f.l_values.size()),
                          f.l_rows.data(), f.l_columns.data(), f.l_values.data(),
                          static_cast<int>(f.u_values.size()), f.u_rows.data(), f.u_columns.data(),
                          f.u_values.data(), f.p.data(), f.q.data(), handle_),
          "cusolverRfSetupHost");
    cuda_check(cudaDeviceSynchronize(), "cusolverRfSetupHost");
    check(api_.analyze(handle_), "cusolverRfAnalyze");
    Traffic not_of_a_set_call;
    p_.upload(f.p.data(), f.p.size(), not_of_a_set_call);
    q_.upload(f.q.data(), f.q.size(), not_of_a_set_call);
    work_.resize(f.p.size());
    cuda_check(cudaDeviceSynchronize(), "cusolverRfAnalyze");
    on_device_ = true;
    refactored_ = false;
  }

  void release() noexcept {
    destroy_handle();
    klu_.clear();
    on_device_ = refactored_ = false;
    flops_ = -1;
    row_offsets_.reset();
    columns_.reset();
    values_.reset();
    p_.reset();
    q_.reset();
    work_.reset();
    x_.reset();
    host_x_ = {};
  }

  ForeignLibrary library_;
  CusolverApi api_;
  const std::string jit_cache_;
  cusolverRfFactorization_t factorization_ = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t triangular_ = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfHandle_t handle_ = nullptr;
  KluByRow klu_;
  bool on_device_ = false;   // KLU's factors were handed over
  bool refactored_ = false;  // the last factors are those on the device
  double klu_seconds_ = 0, hand_over_seconds_ = 0, flops_ = -1;
  std::int32_t n_ = 0, nnz_ = 0, rhs_ = 0;
  const std::int32_t* indices_ = nullptr;
  const double* host_values_ = nullptr;
  std::vector<double> host_x_;
  Traffic traffic_;
  DeviceArray<int> row_offsets_, columns_, p_, q_;
  DeviceArray<double> values_, work_, x_;
};

constexpr lufact_peer_text variants[] = {
    {"alg2", "factorization and solve by the library's second algorithms, as ExaPF takes them"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<CusolverRf>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api = make_api<make>(
      "cusolverrf", "NVIDIA cusolverRf: refactorization of KLU's factors on the GPU", variants);
  return &api;
}
