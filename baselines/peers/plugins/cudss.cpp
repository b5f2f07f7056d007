// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA cuDSS, written for its versions 1.x: the header is needed to build, the library is loaded
// at run time. Takes A by rows. Every call ends with the device idle, so that host clocks see all
// of its work. Settings are the library's defaults but for what a variant names and the host
// threads, which the threading layer of the library carries out where it is there.
#include <cuda_runtime_api.h>
#include <cudss.h>

#include <array>
#include <optional>

#include "baselines/peers/plugins/cuda_arrays.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {
namespace {

constexpr int built_for_major = 1;

const char how_to_get[] =
    "get it with `python3 -m venv DIR && DIR/bin/pip install nvidia-cudss-cu13` and set "
    "LUFACT_CUDSS_ROOT to DIR/lib/python3.*/site-packages/nvidia/cu13";

// The functions of the library that are used.
struct CudssApi {
  explicit CudssApi(const ForeignLibrary& library)
      : get_property(library.function<decltype(cudssGetProperty)>("cudssGetProperty")),
        create(library.function<decltype(cudssCreate)>("cudssCreate")),
        destroy(library.function<decltype(cudssDestroy)>("cudssDestroy")),
        set_threading_layer(
            library.function<decltype(cudssSetThreadingLayer)>("cudssSetThreadingLayer")),
        config_create(library.function<decltype(cudssConfigCreate)>("cudssConfigCreate")),
        config_destroy(library.function<decltype(cudssConfigDestroy)>("cudssConfigDestroy")),
        config_set(library.function<decltype(cudssConfigSet)>("cudssConfigSet")),
        data_create(library.function<decltype(cudssDataCreate)>("cudssDataCreate")),
        data_destroy(library.function<decltype(cudssDataDestroy)>("cudssDataDestroy")),
        data_get(library.function<decltype(cudssDataGet)>("cudssDataGet")),
        matrix_create_csr(library.function<decltype(cudssMatrixCreateCsr)>("cudssMatrixCreateCsr")),
        matrix_create_dn(library.function<decltype(cudssMatrixCreateDn)>("cudssMatrixCreateDn")),
        matrix_destroy(library.function<decltype(cudssMatrixDestroy)>("cudssMatrixDestroy")),
        execute(library.function<decltype(cudssExecute)>("cudssExecute")) {}

  decltype(cudssGetProperty)* get_property;
  decltype(cudssCreate)* create;
  decltype(cudssDestroy)* destroy;
  decltype(cudssSetThreadingLayer)* set_threading_layer;
  decltype(cudssConfigCreate)* config_create;
  decltype(cudssConfigDestroy)* config_destroy;
  decltype(cudssConfigSet)* config_set;
  decltype(cudssDataCreate)* data_create;
  decltype(cudssDataDestroy)* data_destroy;
  decltype(cudssDataGet)* data_get;
  decltype(cudssMatrixCreateCsr)* matrix_create_csr;
  decltype(cudssMatrixCreateDn)* matrix_create_dn;
  decltype(cudssMatrixDestroy)* matrix_destroy;
  decltype(cudssExecute)* execute;
};

const char* name_of(cudssStatus_t status) {
  switch (status) {
    case CUDSS_STATUS_NOT_INITIALIZED:
      return "not initialized";
    case CUDSS_STATUS_ALLOC_FAILED:
      return "allocation failed";
    case CUDSS_STATUS_INVALID_VALUE:
      return "invalid value";
    case CUDSS_STATUS_NOT_SUPPORTED:
      return "not supported";
    case CUDSS_STATUS_EXECUTION_FAILED:
      return "execution failed";
    case CUDSS_STATUS_IR_FAILED:
      return "refinement failed";
    default:
      return "internal error";
  }
}

void check(cudssStatus_t status, const std::string& what) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  throw Failure(status == CUDSS_STATUS_ALLOC_FAILED ? LUFACT_PEER_OOM_DEVICE : LUFACT_PEER_ERROR,
                what + ": " + name_of(status) + " (status " + std::to_string(status) + ")");
}

template <class T>
using Owned = std::unique_ptr<T, cudssStatus_t (*)(T*)>;

ForeignLibrary load(const std::vector<std::string>& folders) {
  for (const char* needed : {"libnvrtc.so.13", "libcublasLt.so.13", "libcublas.so.13",
                             "libnvrtc.so.12", "libcublasLt.so.12", "libcublas.so.12"}) {
    ForeignLibrary::load_needed(folders, needed);
  }
  return ForeignLibrary(folders, {"libcudss.so.1", "libcudss.so", "libcudss.so.0"}, how_to_get);
}

class Cudss final : public Solver {
 public:
  explicit Cudss(const lufact_peer_options& options)
      : folders_(library_folders(options.search_path, "LUFACT_CUDSS_ROOT")),
        library_(load(folders_)),
        api_(library_),
        variant_(options.variant) {
    require_version();
    open_device(options.device);
    cudssHandle_t handle = nullptr;
    const cudssStatus_t created = api_.create(&handle);
    handle_ = {handle, api_.destroy};  // to be destroyed after a failure too
    check(created, "cudssCreate");
    cudssConfig_t config = nullptr;
    check(api_.config_create(&config), "cudssConfigCreate");
    config_ = {config, api_.config_destroy};
    configure(options.threads);
  }
  ~Cudss() override { release(); }
  Cudss(const Cudss&) = delete;
  Cudss& operator=(const Cudss&) = delete;

  Facts facts() const override {
    Facts facts;
    facts.layout = LUFACT_PEER_BY_ROW;
    facts.on_device = true;
    facts.threads = threads_;
    facts.library = "NVIDIA cuDSS";
    facts.version = std::to_string(version_[0]) + "." + std::to_string(version_[1]) + "." +
                    std::to_string(version_[2]);
    facts.scaling = "matching: the library's choice";
    facts.ordering = variant_ == "amd"          ? "amd"
                     : variant_ == "btf-colamd" ? "btf + colamd"
                                                : "default nested dissection";
    facts.symbolic = "the library's";
    facts.numeric = "the library's, static pivoting";
    facts.solve = ir_steps_ == 0 ? "no refinement"
                                 : std::to_string(ir_steps_) + " refinement steps of its own";
    facts.fused = {{"scale", "order"}};
    facts.settings = {{"threading_layer", threading_layer_.empty() ? "none" : threading_layer_},
                      {"host_nthreads", std::to_string(threads_)},
                      {"ir_n_steps", std::to_string(ir_steps_)}};
    return facts;
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    release();
    n_ = n;
    nnz_ = offsets[n];
    const auto rows = static_cast<std::size_t>(n);
    offsets_.upload(offsets, rows + 1, traffic_);
    indices_.upload(indices, static_cast<std::size_t>(nnz_), traffic_);
    values_.resize(static_cast<std::size_t>(nnz_));
    check(api_.data_create(handle_.get(), &data_), "cudssDataCreate");
    check(api_.matrix_create_csr(&matrix_, n, n, nnz_, offsets_.data(), nullptr, indices_.data(),
                                 values_.data(), CUDA_R_64I, CUDA_R_32I, CUDA_R_64F,
                                 CUDSS_MTYPE_GENERAL, CUDSS_MVIEW_FULL, CUDSS_BASE_ZERO),
          "cudssMatrixCreateCsr");
    make_vectors(1);
  }
  void set_values(const double* values) override {
    values_.upload(values, static_cast<std::size_t>(nnz_), traffic_);
  }

  Step order() override {
    execute(CUDSS_PHASE_REORDERING, "reordering");
    return Step::done;
  }
  Step symbolic() override {
    execute(CUDSS_PHASE_SYMBOLIC_FACTORIZATION, "symbolic factorization");
    return Step::done;
  }
  void factor() override {
    execute(CUDSS_PHASE_FACTORIZATION, "factorization");
    factored_ = true;
  }
  void refactor() override { execute(CUDSS_PHASE_REFACTORIZATION, "refactorization"); }

  void set_rhs(std::int32_t columns, const double* b) override {
    if (columns != columns_) make_vectors(columns);
    b_.upload(b, b_.size(), traffic_);
  }
  void solve() override { execute(CUDSS_PHASE_SOLVE, "solve"); }
  void get_solution(double* x) override { x_.download(x, traffic_); }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.bytes_h2d = traffic_.h2d;
    figures.bytes_d2h = traffic_.d2h;
    if (!factored_) return figures;
    figures.nnz_lu = get<std::int64_t>(CUDSS_DATA_LU_NNZ).value_or(-1);
    figures.perturbed_pivots = get<int>(CUDSS_DATA_NPIVOTS).value_or(-1);
    // A 64-bit integer, although the header does not say so.
    const auto flops = get<std::int64_t>(CUDSS_DATA_FLOPS);
    if (flops && *flops > 0) figures.flops = static_cast<double>(*flops);
    figures.refinement_steps = ir_steps_ == 0 ? 0 : get<int>(CUDSS_DATA_IR_N_STEPS).value_or(-1);
    const auto memory = get<std::array<std::int64_t, 16>>(CUDSS_DATA_MEMORY_ESTIMATES);
    if (memory) figures.device_peak_bytes = (*memory)[1];  // the library's estimate of its peak
    return figures;
  }

  void clear() override { release(); }

 private:
  void require_version() {
    constexpr std::array properties{MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    for (std::size_t k = 0; k < properties.size(); ++k) {
      check(api_.get_property(properties[k], &version_[k]), "cudssGetProperty");
    }
    if (version_[0] != built_for_major) {
      throw Failure(LUFACT_PEER_UNSUPPORTED,
                    "this plug-in is written for cuDSS 1.x, the library found is version " +
                        std::to_string(version_[0]) + "." + std::to_string(version_[1]) + "; " +
                        how_to_get);
    }
  }

  void configure(int threads) {
    if (variant_ != "seq") use_threading_layer();
    if (!threading_layer_.empty()) {
      threads_ = threads;
      set_config(CUDSS_CONFIG_HOST_NTHREADS, threads_, "host threads");
    }
    if (variant_ == "amd") {
      set_config(CUDSS_CONFIG_REORDERING_ALG, CUDSS_REORDERING_ALG_AMD, "reordering algorithm");
    } else if (variant_ == "btf-colamd") {
      set_config(CUDSS_CONFIG_REORDERING_ALG, CUDSS_REORDERING_ALG_BTF_COLAMD,
                 "reordering algorithm");
    } else if (variant_ == "ir") {
      ir_steps_ = 2;
      set_config(CUDSS_CONFIG_IR_N_STEPS, ir_steps_, "refinement steps");
    }
  }

  // The layer is a library beside the main one; without it the host part runs on one thread.
  void use_threading_layer() {
    for (const std::string& folder : folders_) {
      for (const char* name : {"libcudss_mtlayer_gomp.so.1", "libcudss_mtlayer_gomp.so"}) {
        const std::string path = folder + "/" + name;
        if (access(path.c_str(), R_OK) != 0) continue;
        if (api_.set_threading_layer(handle_.get(), path.c_str()) != CUDSS_STATUS_SUCCESS) continue;
        threading_layer_ = name;
        return;
      }
    }
  }

  template <class T>
  void set_config(cudssConfigParam_t parameter, const T& value, const char* what) {
    check(api_.config_set(config_.get(), parameter, &value, sizeof(T)), what);
  }
  template <class T>
  std::optional<T> get(cudssDataParam_t parameter) const {
    T value{};
    std::size_t written = 0;
    const cudssStatus_t status =
        api_.data_get(handle_.get(), data_, parameter, &value, sizeof(T), &written);
    if (status != CUDSS_STATUS_SUCCESS || written != sizeof(T)) return std::nullopt;
    return value;
  }

  void make_vectors(std::int32_t columns) {
    destroy_vectors();
    columns_ = columns;
    const auto size = static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns);
    b_.resize(size);
    x_.resize(size);
    check(api_.matrix_create_dn(&rhs_, n_, columns, n_, b_.data(), CUDA_R_64F,
                                CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
    check(api_.matrix_create_dn(&solution_, n_, columns, n_, x_.data(), CUDA_R_64F,
                                CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
  }

  void execute(int phase, const std::string& what) {
    check(api_.execute(handle_.get(), phase, config_.get(), data_, matrix_, solution_, rhs_), what);
    cuda_check(cudaDeviceSynchronize(), what);
  }

  void destroy_matrix(cudssMatrix_t& matrix) noexcept {
    if (matrix != nullptr) api_.matrix_destroy(matrix);
    matrix = nullptr;
  }
  void destroy_vectors() noexcept {
    destroy_matrix(rhs_);
    destroy_matrix(solution_);
  }
  void release() noexcept {
    destroy_vectors();
    destroy_matrix(matrix_);
    if (data_ != nullptr) api_.data_destroy(handle_.get(), data_);
    data_ = nullptr;
    factored_ = false;
    offsets_.reset();
    indices_.reset();
    values_.reset();
    b_.reset();
    x_.reset();
  }

  std::vector<std::string> folders_;
  ForeignLibrary library_;
  CudssApi api_;
  std::string variant_, threading_layer_;
  std::array<int, 3> version_{};
  int threads_ = 1, ir_steps_ = 0;
  Owned<cudssContext> handle_{nullptr, nullptr};
  Owned<cudssConfig> config_{nullptr, nullptr};
  cudssData_t data_ = nullptr;
  cudssMatrix_t matrix_ = nullptr, rhs_ = nullptr, solution_ = nullptr;
  bool factored_ = false;
  std::int32_t n_ = 0, columns_ = 0;
  std::int64_t nnz_ = 0;
  Traffic traffic_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<std::int32_t> indices_;
  DeviceArray<double> values_, b_, x_;
};

constexpr lufact_peer_text variants[] = {
    {"amd", "AMD instead of nested dissection"},
    {"btf-colamd", "block triangular form and COLAMD"},
    {"ir", "2 refinement steps of its own; the default takes none"},
    {"seq", "without the threading layer: the analysis on one host thread"}};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Cudss>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api =
      make_api<make>("cudss", "NVIDIA cuDSS: direct solver on the GPU", variants);
  return &api;
}
