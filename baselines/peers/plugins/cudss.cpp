// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA cuDSS, written for its versions 1.x: the header is needed to build, the library is loaded
// at run time. Takes A by rows. Every call ends with the device idle, so that host clocks see all
// of its work, unless it runs ahead. Arrays on the device are handed over by their addresses. All
// work is on the default stream. Settings are the library's defaults but for what a variant names
// and the host threads, which the threading layer of the library carries out where it is there. The
// default of its matching is "auto": whether there was one is told by the settings. Many systems
// with one pattern are its uniform batch: every call is of all of them.
#include <cuda_runtime_api.h>

#include <array>
#include <optional>

#include "baselines/peers/plugins/cuda_arrays.hpp"
#include "baselines/peers/plugins/cudss_settings.hpp"
#include "baselines/peers/plugins/cudss_variants.hpp"
#include "baselines/peers/plugins/device_solver.hpp"
#include "baselines/peers/plugins/jit_caches.hpp"
#include "baselines/peers/plugins/plugin.hpp"
#include "baselines/peers/plugins/systems_solver.hpp"

namespace lufact::peers {
namespace {

template <class T>
using Owned = std::unique_ptr<T, cudssStatus_t (*)(T*)>;

class Cudss final : public DeviceSolver, public SystemsSolver {
 public:
  explicit Cudss(const lufact_peer_options& options)
      : folders_(library_folders(options.search_path, "LUFACT_CUDSS_ROOT")),
        library_(load_cudss(folders_)),
        api_(library_),
        version_(cudss_version(api_)),
        variant_(options.variant),
        given_threads_(options.threads),
        cuda_jit_cache_(cuda_jit_cache()),
        jit_cache_(cudss_jit_cache()) {
    open_device(options.device);
    cudssHandle_t handle = nullptr;
    const cudssStatus_t created = api_.create(&handle);
    handle_ = {handle, api_.destroy};  // to be destroyed after a failure too
    check(created, "cudssCreate");
    cudssConfig_t config = nullptr;
    check(api_.config_create(&config), "cudssConfigCreate");
    config_ = {config, api_.config_destroy};
    configure();
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
    facts.version = version_;
    facts.scaling = name_of(matching_);
    facts.ordering = name_of(ordering_of(variant_));
    facts.symbolic = "the library's";
    facts.numeric = "the library's, static pivoting";
    facts.solve = ir_steps_ == 0 ? "no refinement"
                                 : std::to_string(ir_steps_) + " refinement steps of its own";
    facts.fused = {{"scale", "order"}};
    facts.settings = {
        {"threading_layer", threading_layer_.empty() ? "none" : threading_layer_},
        {"host_nthreads", std::to_string(threads_)},
        {"ir_n_steps", std::to_string(ir_steps_)},
        {"matching_alg", matching_ == CUDSS_MATCHING_ALG_AUTO ? "auto" : std::to_string(matching_)},
        {"cuda_jit_cache", cuda_jit_cache_},
        {"cudss_jit_cache", jit_cache_}};
    if (count_ > 1) facts.settings.emplace_back("uniform_batch", std::to_string(count_));
    if (hybrid_execute_) facts.settings.emplace_back("hybrid_execute_mode", "1");
    if (hybrid_memory_) facts.settings.emplace_back("hybrid_memory_mode", "1");
    if (memory_limit_) {
      facts.settings.emplace_back("hybrid_device_memory_limit", std::to_string(*memory_limit_));
    }
    if (factored_) facts.settings.emplace_back("matched", matched() ? "yes" : "no");
    if (variant_ != "seq") {
      warn_on_one_thread(facts, given_threads_,
                         std::string("its threading layer ") + layer_names[0] +
                             " was not found or not accepted, so that its analysis is slower; put "
                             "it beside libcudss.so or into a folder of LUFACT_PEER_PATH");
    }
    return facts;
  }

  void set_systems(std::int32_t count) override {
    release();
    if (count > 1) require_batch(variant_);
    if (count != count_ && api_.config_set(config_.get(), CUDSS_CONFIG_UBATCH_SIZE, &count,
                                           sizeof count) != CUDSS_STATUS_SUCCESS) {
      fail_batch(version_, "its size");
    }
    count_ = count;
    choose_matching(matching_of(variant_, count > 1));
  }

  void set_pattern(std::int32_t n, const std::int64_t* offsets,
                   const std::int32_t* indices) override {
    release();
    // The limit of a run before would hold for the analysis of this one.
    if (variant_ == "hybrid-memory-min") set_memory_limit(librarys_own_limit);
    n_ = n;
    nnz_ = offsets[n];
    const auto rows = static_cast<std::size_t>(n);
    offsets_.upload(offsets, rows + 1, traffic_);
    indices_.upload(indices, static_cast<std::size_t>(nnz_), traffic_);
    values_.resize(static_cast<std::size_t>(nnz_) * static_cast<std::size_t>(count_));
    check(api_.data_create(handle_.get(), &data_), "cudssDataCreate");
    check(api_.matrix_create_csr(&matrix_, n, n, nnz_, offsets_.data(), nullptr, indices_.data(),
                                 values_.data(), CUDA_R_64I, CUDA_R_32I, CUDA_R_64F,
                                 CUDSS_MTYPE_GENERAL, CUDSS_MVIEW_FULL, CUDSS_BASE_ZERO),
          "cudssMatrixCreateCsr");
    make_vectors(count_);
  }
  void set_values(const double* values) override {
    take_arrays(false);
    const std::size_t size = values_.size();
    ahead_ ? values_.start_upload(values, size, traffic_) : values_.upload(values, size, traffic_);
  }

  Step order() override {
    execute(CUDSS_PHASE_REORDERING, "reordering");
    return Step::done;
  }
  Step symbolic() override {
    execute(CUDSS_PHASE_SYMBOLIC_FACTORIZATION, "symbolic factorization");
    if (variant_ == "hybrid-memory-min") take_least_memory();
    return Step::done;
  }
  void factor() override {
    execute(CUDSS_PHASE_FACTORIZATION, "factorization");
    factored_ = true;
  }
  void refactor() override { execute(CUDSS_PHASE_REFACTORIZATION, "refactorization"); }

  void set_rhs(std::int32_t columns, const double* b) override {
    if (hybrid_execute_) {
      all_b_.upload(b, entries(columns), traffic_);
      all_x_.resize(entries(columns));
      rhs_count_ = columns;
      return;
    }
    if (columns != columns_) make_vectors(columns);
    ahead_ ? b_.start_upload(b, b_.size(), traffic_) : b_.upload(b, b_.size(), traffic_);
  }
  void solve() override {
    if (hybrid_execute_) {
      solve_one_by_one();
    } else {
      execute(CUDSS_PHASE_SOLVE, "solve");
    }
  }
  void get_solution(double* x) override {
    const DeviceArray<double>& from = hybrid_execute_ ? all_x_ : x_;
    ahead_ ? from.start_download(x, traffic_) : from.download(x, traffic_);
  }

  void put_on_device(const double* values, std::int32_t columns, const double* b) override {
    if (hybrid_execute_) {
      throw Failure(LUFACT_PEER_UNSUPPORTED,
                    "hybrid execution takes right-hand sides one by one, from the host");
    }
    Traffic untimed;
    take_arrays(false);
    if (columns != columns_) make_vectors(columns);
    given_values_.upload(values, values_.size(), untimed);
    given_b_.upload(b, entries(columns), untimed);
    cuda_check(cudaDeviceSynchronize(), "upload");
  }
  void use_device_arrays() override { take_arrays(true); }
  void run_ahead(bool ahead) override { ahead_ = ahead; }
  void wait() override { cuda_check(cudaDeviceSynchronize(), "refactorization and solve"); }
  void mark(std::int32_t number) override { marks_.set(number); }
  double seconds_between(std::int32_t begin, std::int32_t end) const override {
    return marks_.seconds_between(begin, end);
  }

  lufact_peer_figures figures() const override {
    lufact_peer_figures figures = unknown_figures();
    figures.bytes_h2d = traffic_.h2d;
    figures.bytes_d2h = traffic_.d2h;
    if (!factored_) return figures;
    figures.nnz_lu = get<std::int64_t>(CUDSS_DATA_LU_NNZ).value_or(-1);
    // Of a batch it is not said whether this is of the first system or of all.
    if (count_ == 1) figures.perturbed_pivots = get<int>(CUDSS_DATA_NPIVOTS).value_or(-1);
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
  void configure() {
    if (variant_ != "seq") use_threading_layer();
    if (!threading_layer_.empty()) {
      threads_ = given_threads_;
      set_config(CUDSS_CONFIG_HOST_NTHREADS, threads_, "host threads");
    }
    const cudssReorderingAlg_t ordering = ordering_of(variant_);
    if (ordering != CUDSS_REORDERING_ALG_DEFAULT) {
      set_config(CUDSS_CONFIG_REORDERING_ALG, ordering, "reordering algorithm");
    }
    choose_matching(matching_of(variant_, false));
    if (variant_ == "ir") {
      ir_steps_ = 2;
      set_config(CUDSS_CONFIG_IR_N_STEPS, ir_steps_, "refinement steps");
    }
    hybrid_execute_ = variant_ == "hybrid-execute";
    if (hybrid_execute_) set_config(CUDSS_CONFIG_HYBRID_EXECUTE_MODE, 1, "hybrid execute mode");
    hybrid_memory_ = variant_ == "hybrid-memory" || variant_ == "hybrid-memory-min";
    if (hybrid_memory_) set_config(CUDSS_CONFIG_HYBRID_MEMORY_MODE, 1, "hybrid memory mode");
  }
  void choose_matching(cudssMatchingAlg_t algorithm) {
    if (algorithm == matching_) return;
    matching_ = algorithm;
    set_config(CUDSS_CONFIG_MATCHING_ALG, algorithm, "matching algorithm");
  }

  // As little device memory as the library says that it can do with, known after the analysis.
  void take_least_memory() {
    const auto least = get<std::int64_t>(CUDSS_DATA_HYBRID_DEVICE_MEMORY_MIN);
    if (!least) {
      throw Failure(LUFACT_PEER_UNSUPPORTED,
                    "the library does not tell the least device memory of its hybrid memory mode");
    }
    memory_limit_ = *least;
    set_memory_limit(*least);
  }
  void set_memory_limit(std::int64_t bytes) {
    set_config(CUDSS_CONFIG_HYBRID_DEVICE_MEMORY_LIMIT, bytes, "device memory limit");
  }

  // Whether there was a matching: its permutation can be had then, and only then.
  bool matched() const {
    std::vector<std::int32_t> permutation(static_cast<std::size_t>(n_));
    std::size_t written = 0;
    return api_.data_get(handle_.get(), data_, CUDSS_DATA_PERM_MATCHING, permutation.data(),
                         permutation.size() * sizeof(std::int32_t),
                         &written) == CUDSS_STATUS_SUCCESS &&
           written > 0;
  }

  // The layer is a library beside the main one, wherever the loader found that; without it the host
  // part runs on one thread.
  void use_threading_layer() {
    std::vector<std::string> folders = folders_;
    folders.push_back(folder_of(reinterpret_cast<const void*>(api_.create)));
    for (const std::string& folder : folders) {
      for (const char* name : layer_names) {
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

  // Those that a caller on the device gave, or the solver's own.
  void take_arrays(bool given) {
    if (given == takes_given_) return;
    const double* const values = (given ? given_values_ : values_).data();
    const double* const b = (given ? given_b_ : b_).data();
    check(api_.matrix_set_values(matrix_, values), "cudssMatrixSetValues");
    check(api_.matrix_set_values(rhs_, b), "cudssMatrixSetValues");
    takes_given_ = given;
  }

  // A batch has one column for each system, and the library is told of the first.
  void make_vectors(std::int32_t columns) {
    destroy_vectors();
    columns_ = columns;
    b_.resize(entries(columns));
    x_.resize(entries(columns));
    const std::int32_t told = columns / count_;
    check(api_.matrix_create_dn(&rhs_, n_, told, n_, b_.data(), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
    check(api_.matrix_create_dn(&solution_, n_, told, n_, x_.data(), CUDA_R_64F,
                                CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
  }

  std::size_t entries(std::int32_t columns) const {
    return static_cast<std::size_t>(n_) * static_cast<std::size_t>(columns);
  }

  // Hybrid execution must know the number of right-hand sides before the analysis: it is one, and
  // they take turns in the same arrays.
  void solve_one_by_one() {
    const std::size_t bytes = entries(1) * sizeof(double);
    for (std::int32_t c = 0; c < rhs_count_; ++c) {
      cuda_check(cudaMemcpy(b_.data(), all_b_.data() + entries(c), bytes, cudaMemcpyDeviceToDevice),
                 "copy");
      execute(CUDSS_PHASE_SOLVE, "solve");
      cuda_check(cudaMemcpy(all_x_.data() + entries(c), x_.data(), bytes, cudaMemcpyDeviceToDevice),
                 "copy");
    }
    if (!ahead_) cuda_check(cudaDeviceSynchronize(), "solve");
  }

  void execute(int phase, const std::string& what) {
    const cudssStatus_t status =
        api_.execute(handle_.get(), phase, config_.get(), data_, matrix_, solution_, rhs_);
    if (count_ > 1 && status == CUDSS_STATUS_NOT_SUPPORTED) fail_batch(version_, what);
    check(status, what);
    if (!ahead_) cuda_check(cudaDeviceSynchronize(), what);
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
    for (auto* array : {&values_, &b_, &x_, &all_b_, &all_x_, &given_values_, &given_b_}) {
      array->reset();
    }
    memory_limit_.reset();
    ahead_ = takes_given_ = false;
  }

  std::vector<std::string> folders_;
  ForeignLibrary library_;
  CudssApi api_;
  const std::string version_, variant_;
  const int given_threads_;
  const std::string cuda_jit_cache_, jit_cache_;
  std::string threading_layer_;
  cudssMatchingAlg_t matching_ = CUDSS_MATCHING_ALG_AUTO;
  bool hybrid_execute_ = false, hybrid_memory_ = false;
  std::optional<std::int64_t> memory_limit_;
  int threads_ = 1, ir_steps_ = 0;
  Owned<cudssContext> handle_{nullptr, nullptr};
  Owned<cudssConfig> config_{nullptr, nullptr};
  cudssData_t data_ = nullptr;
  cudssMatrix_t matrix_ = nullptr, rhs_ = nullptr, solution_ = nullptr;
  bool factored_ = false;
  std::int32_t n_ = 0, columns_ = 0, rhs_count_ = 0, count_ = 1;
  std::int64_t nnz_ = 0;
  Traffic traffic_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<std::int32_t> indices_;
  DeviceArray<double> values_, b_, x_;
  DeviceArray<double> all_b_, all_x_;           // of hybrid execution
  DeviceArray<double> given_values_, given_b_;  // those of a caller on the device
  bool ahead_ = false, takes_given_ = false;
  Marks marks_;
};

std::unique_ptr<Solver> make(const lufact_peer_options& options) {
  return std::make_unique<Cudss>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_peer_api* lufact_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_peer_api api = [] {
    lufact_peer_api made =
        make_api<make>("cudss", "NVIDIA cuDSS: direct solver on the GPU", cudss_variants);
    add_device_calls(made);
    add_systems_call(made);
    return made;
  }();
  return &api;
}
