// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA cuBLAS: getrfBatched, getriBatched and getrsBatched, or matinvBatched. The library is
// loaded at run time. Its functions take arrays of addresses, which are made before the clock
// starts.
#include <cublas_v2.h>

#include <optional>

#include "baselines/peers/plugins/device_addresses.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"

namespace lufact::peers {
namespace {

#define LUFACT_STRING(text) LUFACT_QUOTED(text)
#define LUFACT_QUOTED(text) #text
const char library_file[] = "libcublas.so." LUFACT_STRING(CUBLAS_VER_MAJOR);

const char how_to_get[] =
    "install the CUDA toolkit of the version that lufact was built with, or `python3 -m venv DIR "
    "&& DIR/bin/pip install nvidia-cublas`, and set LUFACT_CUBLAS_ROOT to the folder of that file";

// Batched functions of one precision.
template <class T>
struct CublasFunctions {
  using Getrf = cublasStatus_t(cublasHandle_t, int n, T* const a[], int lda, int* pivots, int* info,
                               int count);
  using Getri = cublasStatus_t(cublasHandle_t, int n, const T* const a[], int lda,
                               const int* pivots, T* const c[], int ldc, int* info, int count);
  using Getrs = cublasStatus_t(cublasHandle_t, cublasOperation_t, int n, int rhs,
                               const T* const a[], int lda, const int* pivots, T* const b[],
                               int ldb, int* info, int count);
  using Matinv = cublasStatus_t(cublasHandle_t, int n, const T* const a[], int lda, T* const c[],
                                int ldc, int* info, int count);
  Getrf* getrf;
  Getri* getri;
  Getrs* getrs;
  Matinv* matinv;

  explicit CublasFunctions(const ForeignLibrary& library) {
    const std::string prefix = sizeof(T) == sizeof(double) ? "cublasD" : "cublasS";
    getrf = library.function<Getrf>((prefix + "getrfBatched").c_str());
    getri = library.function<Getri>((prefix + "getriBatched").c_str());
    getrs = library.function<Getrs>((prefix + "getrsBatched").c_str());
    matinv = library.function<Matinv>((prefix + "matinvBatched").c_str());
  }
};

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Failure(status == CUBLAS_STATUS_ALLOC_FAILED ? LUFACT_PEER_OOM_DEVICE : LUFACT_PEER_ERROR,
                std::string(what) + ": cuBLAS status " + std::to_string(status));
}

// One prepared problem.
class Work {
 public:
  virtual ~Work() = default;
  virtual void run(cublasHandle_t handle) = 0;
  virtual std::int64_t bytes() const = 0;
};

template <class T>
class TypedWork final : public Work {
 public:
  TypedWork(const ForeignLibrary& library, const lufact_array_problem& problem,
            const lufact_array_operands& operands, bool matinv)
      : cublas_(library),
        problem_(problem),
        operands_(operands),
        count_(narrow_count(problem)),
        matinv_(matinv) {
    a_.prepare(problem, operands.a, matrix_stride(problem));
    if (problem.operation == LUFACT_ARRAY_INVERSE) {
      result_.prepare(problem, operands.result, matrix_stride(problem));
    }
    if (problem.operation == LUFACT_ARRAY_SOLVE) {
      b_.prepare(problem, operands.b, rhs_stride(problem));
    }
    const bool two_steps = problem.operation == LUFACT_ARRAY_INVERSE && !matinv;
    if (two_steps) second_info_.resize(static_cast<std::size_t>(count_));
  }

  void run(cublasHandle_t handle) override {
    const int n = problem_.rows, ld = problem_.ld;
    if (matinv_) {
      require(cublas_.matinv(handle, n, a_.data(), ld, result_.data(), ld, operands_.info, count_),
              "matinvBatched");
      return;
    }
    require(cublas_.getrf(handle, n, a_.data(), ld, operands_.pivots, operands_.info, count_),
            "getrfBatched");
    if (problem_.operation == LUFACT_ARRAY_INVERSE) {
      require(cublas_.getri(handle, n, a_.data(), ld, operands_.pivots, result_.data(), ld,
                            second_info_.data(), count_),
              "getriBatched");
    } else if (problem_.operation == LUFACT_ARRAY_SOLVE) {
      int arguments = 0;
      require(cublas_.getrs(handle, CUBLAS_OP_N, n, problem_.rhs, a_.data(), ld, operands_.pivots,
                            b_.data(), n, &arguments, count_),
              "getrsBatched");
    }
  }

  std::int64_t bytes() const override {
    return a_.bytes() + result_.bytes() + b_.bytes() +
           static_cast<std::int64_t>(second_info_.size() * sizeof(int));
  }

 private:
  CublasFunctions<T> cublas_;
  lufact_array_problem problem_;
  lufact_array_operands operands_;
  int count_;
  bool matinv_;
  DeviceAddresses<T> a_, result_, b_;
  DeviceArray<int> second_info_;  // of getri; lufact judges that of getrf
};

class CublasArrays final : public ArraySolver {
 public:
  explicit CublasArrays(const lufact_peer_options& options)
      : library_(library_folders(options.search_path, "LUFACT_CUBLAS_ROOT"), {library_file},
                 how_to_get),
        matinv_(std::string(options.variant) == "matinv") {
    open_device(options.device);
    require(library_.function<cublasStatus_t(cublasHandle_t*)>("cublasCreate_v2")(&handle_),
            "cublasCreate");
  }
  ~CublasArrays() override {
    work_.reset();
    library_.function<cublasStatus_t(cublasHandle_t)>("cublasDestroy_v2")(handle_);
  }
  CublasArrays(const CublasArrays&) = delete;
  CublasArrays& operator=(const CublasArrays&) = delete;

  ArrayFacts facts() const override {
    ArrayFacts facts;
    facts.on_device = true;
    facts.operations =
        matinv_ ? bit(LUFACT_ARRAY_INVERSE)
                : bit(LUFACT_ARRAY_LU) | bit(LUFACT_ARRAY_INVERSE) | bit(LUFACT_ARRAY_SOLVE);
    facts.gives_pivots = !matinv_;
    if (matinv_) facts.largest_order = 32;
    facts.library = "NVIDIA cuBLAS";
    facts.version = version();
    facts.settings = {{"addresses", "made before the clock starts"}};
    return facts;
  }

  std::int64_t prepare(const lufact_array_problem& problem,
                       const lufact_array_operands& operands) override {
    work_.reset();
    with_precision(problem.precision, [&](auto value) {
      work_ = std::make_unique<TypedWork<decltype(value)>>(library_, problem, operands, matinv_);
    });
    return work_->bytes();
  }

  void run(void* stream) override {
    require(library_.function<cublasStatus_t(cublasHandle_t, cudaStream_t)>("cublasSetStream_v2")(
                handle_, static_cast<cudaStream_t>(stream)),
            "cublasSetStream");
    work_->run(handle_);
    wait_for(stream);
  }

 private:
  std::string version() const {
    int version = 0;
    require(library_.function<cublasStatus_t(cublasHandle_t, int*)>("cublasGetVersion_v2")(
                handle_, &version),
            "cublasGetVersion");
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }

  ForeignLibrary library_;
  bool matinv_;
  cublasHandle_t handle_ = nullptr;
  std::unique_ptr<Work> work_;
};

constexpr lufact_peer_text variants[] = {
    {"matinv", "matinvBatched instead of getrf and getri: orders to 32"}};

std::unique_ptr<ArraySolver> make(const lufact_peer_options& options) {
  return std::make_unique<CublasArrays>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_array_peer_api* lufact_array_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_array_peer_api api =
      make_array_api<make>("cublas", "NVIDIA cuBLAS: batched functions on the GPU", variants);
  return &api;
}
