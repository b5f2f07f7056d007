// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA cuSOLVER on one large matrix: the 64-bit functions, the 32-bit ones, and the solver with
// factors in lower numbers and refinement by GMRES. The library is loaded at run time.
#include <cublas_api.h>
#include <cusolverDn.h>

#include <string>

#include "baselines/peers/plugins/device_addresses.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"

namespace lufact::peers {
namespace {

#define LUFACT_STRING(text) LUFACT_QUOTED(text)
#define LUFACT_QUOTED(text) #text
const char library_file[] = "libcusolver.so." LUFACT_STRING(CUSOLVER_VER_MAJOR);
const char cublas_file[] = "libcublas.so." LUFACT_STRING(CUBLAS_VER_MAJOR);

const char how_to_get[] =
    "install the CUDA toolkit of the version that lufact was built with, or `python3 -m venv DIR "
    "&& DIR/bin/pip install nvidia-cusolver`, and set LUFACT_CUSOLVER_ROOT to the folder of that "
    "file";

void require(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw Failure(status == CUSOLVER_STATUS_ALLOC_FAILED ? LUFACT_PEER_OOM_DEVICE : LUFACT_PEER_ERROR,
                std::string(what) + ": cuSOLVER status " + std::to_string(status));
}

bool is_double(const lufact_array_problem& problem) {
  return problem.precision == LUFACT_ARRAY_FLOAT64;
}
bool solves(const lufact_array_problem& problem) {
  return problem.operation == LUFACT_ARRAY_SOLVE;
}

// One prepared problem.
class Work {
 public:
  Work(const ForeignLibrary& library, cusolverDnHandle_t handle,
       const lufact_array_problem& problem, const lufact_array_operands& operands)
      : library_(library), handle_(handle), problem_(problem), operands_(operands) {}
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual void run(cudaStream_t stream) = 0;
  virtual std::int64_t bytes() const = 0;
  virtual int refinement_steps() const { return 0; }

 protected:
  bool pivots() const { return problem_.pivoting == LUFACT_ARRAY_PIVOTING_PARTIAL; }
  std::size_t order() const {
    return static_cast<std::size_t>(std::min(problem_.rows, problem_.columns));
  }
  // Calls a function of the library that is declared in its header.
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    require(library_.function<Function>(name)(arguments...), name);
  }

  const ForeignLibrary& library_;
  const cusolverDnHandle_t handle_;
  const lufact_array_problem problem_;
  const lufact_array_operands operands_;
};

// What a function of the library made, to be destroyed by another one, after a failure too.
template <class Handle>
class Made {
 public:
  Made(const ForeignLibrary& library, const char* create, const char* destroy)
      : destroy_(library.function<cusolverStatus_t(Handle)>(destroy)) {
    require(library.function<cusolverStatus_t(Handle*)>(create)(&handle_), create);
  }
  ~Made() { destroy_(handle_); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  Handle get() const noexcept { return handle_; }

 private:
  cusolverStatus_t (*destroy_)(Handle);
  Handle handle_ = nullptr;
};

// cusolverDnXgetrf and Xgetrs, whose pivots have 64 bits.
class WideWork final : public Work {
 public:
  WideWork(const ForeignLibrary& library, cusolverDnHandle_t handle,
           const lufact_array_problem& problem, const lufact_array_operands& operands)
      : Work(library, handle, problem, operands),
        params_(library, "cusolverDnCreateParams", "cusolverDnDestroyParams") {
    std::size_t on_host = 0;
    call<decltype(cusolverDnXgetrf_bufferSize)>(
        "cusolverDnXgetrf_bufferSize", handle, params_.get(), std::int64_t{problem.rows},
        std::int64_t{problem.columns}, type(), operands.a, std::int64_t{problem.ld}, type(),
        &device_bytes_, &on_host);
    workspace_.resize(device_bytes_);
    host_workspace_.resize(on_host);
    if (pivots()) pivots_.resize(order());
    status_.resize(1);
  }

  void run(cudaStream_t stream) override {
    call<decltype(cusolverDnXgetrf)>(
        "cusolverDnXgetrf", handle_, params_.get(), std::int64_t{problem_.rows},
        std::int64_t{problem_.columns}, type(), operands_.a, std::int64_t{problem_.ld},
        pivots_.data(), type(), static_cast<void*>(workspace_.data()), device_bytes_,
        static_cast<void*>(host_workspace_.data()), host_workspace_.size(), operands_.info);
    if (solves(problem_)) {
      call<decltype(cusolverDnXgetrs)>(
          "cusolverDnXgetrs", handle_, params_.get(), CUBLAS_OP_N, std::int64_t{problem_.rows},
          std::int64_t{problem_.rhs}, type(), static_cast<const void*>(operands_.a),
          std::int64_t{problem_.ld}, static_cast<const std::int64_t*>(pivots_.data()), type(),
          operands_.b, std::int64_t{problem_.rows}, status_.data());
    }
    if (pivots()) narrow_pivots(stream);
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(device_bytes_ + pivots_.size() * sizeof(std::int64_t));
  }

 private:
  cudaDataType type() const { return is_double(problem_) ? CUDA_R_64F : CUDA_R_32F; }

  // The lower half of each number, which comes first in memory.
  void narrow_pivots(cudaStream_t stream) {
    cuda_check(cudaMemcpy2DAsync(operands_.pivots, sizeof(std::int32_t), pivots_.data(),
                                 sizeof(std::int64_t), sizeof(std::int32_t), pivots_.size(),
                                 cudaMemcpyDeviceToDevice, stream),
               "pivots");
  }

  Made<cusolverDnParams_t> params_;
  std::size_t device_bytes_ = 0;
  DeviceArray<char> workspace_;
  std::vector<char> host_workspace_;
  DeviceArray<std::int64_t> pivots_;
  DeviceArray<int> status_;  // of getrs
};

// getrf and getrs with 32-bit sizes.
template <class T>
class LegacyWork final : public Work {
 public:
  LegacyWork(const ForeignLibrary& library, cusolverDnHandle_t handle,
             const lufact_array_problem& problem, const lufact_array_operands& operands)
      : Work(library, handle, problem, operands) {
    int entries = 0;
    require(library.function<BufferSize>(name("getrf_bufferSize").c_str())(
                handle, problem.rows, problem.columns, static_cast<T*>(operands.a), problem.ld,
                &entries),
            "getrf_bufferSize");
    workspace_.resize(static_cast<std::size_t>(entries));
    status_.resize(1);
    getrf_ = library.function<Getrf>(name("getrf").c_str());
    getrs_ = library.function<Getrs>(name("getrs").c_str());
  }

  void run(cudaStream_t) override {
    int* const pivots_to = pivots() ? operands_.pivots : nullptr;
    require(getrf_(handle_, problem_.rows, problem_.columns, static_cast<T*>(operands_.a),
                   problem_.ld, workspace_.data(), pivots_to, operands_.info),
            "getrf");
    if (!solves(problem_)) return;
    require(getrs_(handle_, CUBLAS_OP_N, problem_.rows, problem_.rhs,
                   static_cast<const T*>(operands_.a), problem_.ld, pivots_to,
                   static_cast<T*>(operands_.b), problem_.rows, status_.data()),
            "getrs");
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(workspace_.size() * sizeof(T));
  }

 private:
  using BufferSize = cusolverStatus_t(cusolverDnHandle_t, int m, int n, T* a, int lda, int* lwork);
  using Getrf = cusolverStatus_t(cusolverDnHandle_t, int m, int n, T* a, int lda, T* work,
                                 int* pivots, int* info);
  using Getrs = cusolverStatus_t(cusolverDnHandle_t, cublasOperation_t, int n, int rhs, const T* a,
                                 int lda, const int* pivots, T* b, int ldb, int* info);

  static std::string name(const char* function) {
    return std::string("cusolverDn") + (sizeof(T) == sizeof(double) ? "D" : "S") + function;
  }

  Getrf* getrf_ = nullptr;
  Getrs* getrs_ = nullptr;
  DeviceArray<T> workspace_;
  DeviceArray<int> status_;
};

cusolverPrecType_t lowest_of(std::int32_t factors) {
  switch (factors) {
    case LUFACT_ARRAY_FACTORS_TF32:
      return CUSOLVER_R_TF32;
    case LUFACT_ARRAY_FACTORS_HALF:
      return CUSOLVER_R_16F;
    case LUFACT_ARRAY_FACTORS_BFLOAT:
      return CUSOLVER_R_16BF;
    default:
      return CUSOLVER_R_32F;
  }
}

// cusolverDnIRSXgesv with GMRES. Where refinement fails it solves again in double, and says so by a
// number of iterations below 0.
class RefinedWork final : public Work {
 public:
  RefinedWork(const ForeignLibrary& library, cusolverDnHandle_t handle,
              const lufact_array_problem& problem, const lufact_array_operands& operands)
      : Work(library, handle, problem, operands),
        params_(library, "cusolverDnIRSParamsCreate", "cusolverDnIRSParamsDestroy"),
        infos_(library, "cusolverDnIRSInfosCreate", "cusolverDnIRSInfosDestroy") {
    call<decltype(cusolverDnIRSParamsSetSolverPrecisions)>("cusolverDnIRSParamsSetSolverPrecisions",
                                                           params_.get(), CUSOLVER_R_64F,
                                                           lowest_of(problem.factors));
    call<decltype(cusolverDnIRSParamsSetRefinementSolver)>(
        "cusolverDnIRSParamsSetRefinementSolver", params_.get(), CUSOLVER_IRS_REFINE_GMRES);
    call<decltype(cusolverDnIRSParamsEnableFallback)>("cusolverDnIRSParamsEnableFallback",
                                                      params_.get());
    call<decltype(cusolverDnIRSXgesv_bufferSize)>("cusolverDnIRSXgesv_bufferSize", handle,
                                                  params_.get(), problem.rows, problem.rhs,
                                                  &work_bytes_);
    workspace_.resize(work_bytes_);
    x_.resize(static_cast<std::size_t>(rhs_stride(problem)));
  }

  void run(cudaStream_t stream) override {
    call<decltype(cusolverDnIRSXgesv)>("cusolverDnIRSXgesv", handle_, params_.get(), infos_.get(),
                                       problem_.rows, problem_.rhs, operands_.a, problem_.ld,
                                       operands_.b, problem_.rows, static_cast<void*>(x_.data()),
                                       problem_.rows, static_cast<void*>(workspace_.data()),
                                       work_bytes_, &iterations_, operands_.info);
    cuda_check(cudaMemcpyAsync(operands_.b, x_.data(), x_.size() * sizeof(double),
                               cudaMemcpyDeviceToDevice, stream),
               "the solution");
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(work_bytes_ + x_.size() * sizeof(double));
  }
  int refinement_steps() const override { return iterations_; }

 private:
  Made<cusolverDnIRSParams_t> params_;
  Made<cusolverDnIRSInfos_t> infos_;
  std::size_t work_bytes_ = 0;
  DeviceArray<char> workspace_;
  DeviceArray<double> x_;
  cusolver_int_t iterations_ = 0;
};

// What a variant's name says.
struct Way {
  bool legacy = false, pivoting = true;
  int factors = LUFACT_ARRAY_FACTORS_OWN;
};

Way way_of(const std::string& variant) {
  Way way;
  way.legacy = variant.starts_with("legacy");
  way.pivoting = !variant.ends_with("nopivot");
  if (variant == "irs-float") way.factors = LUFACT_ARRAY_FACTORS_FLOAT32;
  if (variant == "irs-tf32") way.factors = LUFACT_ARRAY_FACTORS_TF32;
  if (variant == "irs-half") way.factors = LUFACT_ARRAY_FACTORS_HALF;
  if (variant == "irs-bfloat") way.factors = LUFACT_ARRAY_FACTORS_BFLOAT;
  return way;
}

// The library, after those that it needs and the loader may not find.
ForeignLibrary load_cusolver(const char* search_path) {
  const auto folders = library_folders(search_path, "LUFACT_CUSOLVER_ROOT");
  ForeignLibrary::load_needed(folders, cublas_file);
  return ForeignLibrary(folders, {library_file}, how_to_get);
}

class CusolverArrays final : public ArraySolver {
 public:
  explicit CusolverArrays(const lufact_peer_options& options)
      : library_(load_cusolver(options.search_path)), way_(way_of(options.variant)) {
    open_device(options.device);
    require(library_.function<decltype(cusolverDnCreate)>("cusolverDnCreate")(&handle_),
            "cusolverDnCreate");
  }
  ~CusolverArrays() override {
    work_.reset();
    library_.function<decltype(cusolverDnDestroy)>("cusolverDnDestroy")(handle_);
  }
  CusolverArrays(const CusolverArrays&) = delete;
  CusolverArrays& operator=(const CusolverArrays&) = delete;

  ArrayFacts facts() const override {
    ArrayFacts facts;
    facts.on_device = true;
    facts.commands = LUFACT_ARRAY_ONE_MATRIX;
    facts.layouts = bit(LUFACT_ARRAY_CONTIGUOUS);
    facts.operations = bit(LUFACT_ARRAY_SOLVE) | (refines() ? 0u : bit(LUFACT_ARRAY_LU));
    facts.pivoting =
        bit(way_.pivoting ? LUFACT_ARRAY_PIVOTING_PARTIAL : LUFACT_ARRAY_PIVOTING_NONE);
    facts.gives_pivots = way_.pivoting && !refines();
    facts.factors = bit(way_.factors);
    if (refines()) facts.precisions = bit(LUFACT_ARRAY_FLOAT64);
    if (work_) facts.refinement_steps = work_->refinement_steps();
    facts.library = "NVIDIA cuSOLVER";
    facts.version = version();
    if (!way_.legacy && facts.gives_pivots) facts.settings = {{"narrowing of pivots", "counted"}};
    return facts;
  }

  std::int64_t prepare(const lufact_array_problem& problem,
                       const lufact_array_operands& operands) override {
    work_.reset();
    if (refines()) {
      work_ = std::make_unique<RefinedWork>(library_, handle_, problem, operands);
    } else if (!way_.legacy) {
      work_ = std::make_unique<WideWork>(library_, handle_, problem, operands);
    } else {
      with_precision(problem.precision, [&](auto value) {
        work_ = std::make_unique<LegacyWork<decltype(value)>>(library_, handle_, problem, operands);
      });
    }
    return work_->bytes();
  }

  void run(void* stream) override {
    const auto on = static_cast<cudaStream_t>(stream);
    require(library_.function<decltype(cusolverDnSetStream)>("cusolverDnSetStream")(handle_, on),
            "cusolverDnSetStream");
    work_->run(on);
    wait_for(stream);
  }

 private:
  bool refines() const { return way_.factors != LUFACT_ARRAY_FACTORS_OWN; }

  std::string version() const {
    int version = 0;
    require(library_.function<decltype(cusolverGetVersion)>("cusolverGetVersion")(&version),
            "cusolverGetVersion");
    return std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
           std::to_string(version % 100);
  }

  ForeignLibrary library_;
  Way way_;
  cusolverDnHandle_t handle_ = nullptr;
  std::unique_ptr<Work> work_;
};

constexpr lufact_peer_text variants[] = {
    {"nopivot", "cusolverDnXgetrf without pivots"},
    {"legacy", "the 32-bit functions"},
    {"legacy-nopivot", "the 32-bit functions without pivots"},
    {"irs-float", "cusolverDnIRSXgesv: factors in float, GMRES"},
    {"irs-tf32", "the same with factors in TF32"},
    {"irs-half", "the same with factors in half"},
    {"irs-bfloat", "the same with factors in bfloat16"}};

std::unique_ptr<ArraySolver> make(const lufact_peer_options& options) {
  return std::make_unique<CusolverArrays>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_array_peer_api* lufact_array_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_array_peer_api api = make_array_api<make>(
      "cusolver", "NVIDIA cuSOLVER: one large matrix on the GPU, cusolverDnXgetrf", variants);
  return &api;
}
