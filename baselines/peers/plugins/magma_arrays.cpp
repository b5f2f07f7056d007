// SPDX-License-Identifier: BSD-3-Clause
// MAGMA's LU of one large matrix, and its batched LU: with its own choice of kernel, or one of the
// two kernels that the authors of Abdelfattah et al. 2017 left in it. Its few functions are
// declared here as its documentation gives them and loaded from any library that exports them,
// MAGMA's own or PyTorch's.
#include "baselines/peers/plugins/device_addresses.hpp"
#include "baselines/peers/plugins/foreign_library.hpp"

namespace lufact::peers {
namespace {

using Queue = void*;               // magma_queue_t
constexpr int no_transpose = 111;  // MagmaNoTrans
constexpr int largest_small_square = 32;

const char how_to_get[] =
    "set LUFACT_MAGMA_LIBRARY to a library that exports magma_dgetrf_batched: MAGMA's libmagma.so, "
    "or libtorch_cuda_linalg.so of PyTorch 2.11";

template <class T>
struct MagmaFunctions {
  using Getrf = int(int m, int n, T** a, int lda, int** pivots, int* info, int count, Queue);
  using GetrfSmall = int(int n, T** a, int lda, int** pivots, int* info, int count, Queue);
  using Getrs = int(int trans, int n, int rhs, T** a, int lda, int** pivots, T** b, int ldb,
                    int count, Queue);
  Getrf* getrf = nullptr;
  GetrfSmall* getrf_small = nullptr;
  Getrs* getrs = nullptr;

  // `kernel` is "shfl", "noshfl" or empty: MAGMA's choice.
  MagmaFunctions(const ForeignLibrary& library, const std::string& kernel) {
    const std::string prefix = sizeof(T) == sizeof(double) ? "magma_d" : "magma_s";
    if (kernel.empty()) {
      getrf = library.function<Getrf>((prefix + "getrf_batched").c_str());
      getrs = library.optional_function<Getrs>((prefix + "getrs_batched").c_str());
    } else {
      getrf_small =
          library.function<GetrfSmall>((prefix + "getrf_batched_smallsq_" + kernel).c_str());
    }
  }
};

void require(int status, const char* what) {
  constexpr int out_of_device_memory = -113;  // MAGMA_ERR_DEVICE_ALLOC
  if (status == 0) return;
  throw Failure(status == out_of_device_memory ? LUFACT_PEER_OOM_DEVICE : LUFACT_PEER_ERROR,
                std::string(what) + ": MAGMA status " + std::to_string(status));
}

class Work {
 public:
  virtual ~Work() = default;
  virtual void run(Queue queue) = 0;
  virtual std::int64_t bytes() const = 0;
};

template <class T>
class TypedWork final : public Work {
 public:
  TypedWork(const ForeignLibrary& library, const lufact_array_problem& problem,
            const lufact_array_operands& operands, const std::string& kernel)
      : magma_(library, kernel),
        problem_(problem),
        operands_(operands),
        count_(narrow_count(problem)) {
    a_.prepare(problem, operands.a, matrix_stride(problem));
    if (problem.operation == LUFACT_ARRAY_SOLVE) {
      b_.prepare(problem, operands.b, rhs_stride(problem));
    }
    lufact_array_problem pivots = problem;  // one after the other whatever the matrices are
    pivots.layout = LUFACT_ARRAY_CONTIGUOUS;
    pivots_.prepare(pivots, operands.pivots, problem.rows);
  }

  void run(Queue queue) override {
    const int n = problem_.rows, ld = problem_.ld;
    if (magma_.getrf_small != nullptr) {
      require(magma_.getrf_small(n, a_.data(), ld, pivots_.data(), operands_.info, count_, queue),
              "getrf_batched_smallsq");
      return;
    }
    require(magma_.getrf(n, n, a_.data(), ld, pivots_.data(), operands_.info, count_, queue),
            "getrf_batched");
    if (problem_.operation == LUFACT_ARRAY_LU) return;
    require(magma_.getrs(no_transpose, n, problem_.rhs, a_.data(), ld, pivots_.data(), b_.data(), n,
                         count_, queue),
            "getrs_batched");
  }

  std::int64_t bytes() const override { return a_.bytes() + b_.bytes() + pivots_.bytes(); }

 private:
  MagmaFunctions<T> magma_;
  lufact_array_problem problem_;
  lufact_array_operands operands_;
  int count_;
  DeviceAddresses<T> a_, b_;
  DeviceAddresses<int> pivots_;
};

// One large matrix. MAGMA keeps pivots and info on the host, from where they are copied.
template <class T>
class OneMatrix final : public Work {
 public:
  // `way` is "hybrid", "nopivot" or empty: on the GPU alone.
  OneMatrix(const ForeignLibrary& library, const lufact_array_problem& problem,
            const lufact_array_operands& operands, const std::string& way)
      : problem_(problem), operands_(operands) {
    const std::string prefix = sizeof(T) == sizeof(double) ? "magma_d" : "magma_s";
    if (way == "nopivot") {
      getrf_nopivot_ = library.function<GetrfNopivot>((prefix + "getrf_nopiv_gpu").c_str());
      getrs_nopivot_ =
          library.optional_function<GetrsNopivot>((prefix + "getrs_nopiv_gpu").c_str());
    } else {
      getrf_ = library.function<Getrf>(
          (prefix + (way == "hybrid" ? "getrf_gpu" : "getrf_native")).c_str());
      getrs_ = library.optional_function<Getrs>((prefix + "getrs_gpu").c_str());
      pivots_.resize(static_cast<std::size_t>(std::min(problem.rows, problem.columns)));
    }
    if (solves() && getrs_ == nullptr && getrs_nopivot_ == nullptr) {
      throw Failure(LUFACT_PEER_UNSUPPORTED, "the library has no getrs for one matrix");
    }
  }

  void run(Queue) override {
    T* const a = static_cast<T*>(operands_.a);
    T* const b = static_cast<T*>(operands_.b);
    int info = 0, status = 0;
    if (getrf_ != nullptr) {
      require_arguments(
          getrf_(problem_.rows, problem_.columns, a, problem_.ld, pivots_.data(), &info), info,
          "getrf");
      if (solves() && info == 0) {
        require(getrs_(no_transpose, problem_.rows, problem_.rhs, a, problem_.ld, pivots_.data(), b,
                       problem_.rows, &status),
                "getrs_gpu");
      }
      copy_up(operands_.pivots, pivots_.data(), pivots_.size());
    } else {
      require_arguments(getrf_nopivot_(problem_.rows, problem_.columns, a, problem_.ld, &info),
                        info, "getrf_nopiv_gpu");
      if (solves() && info == 0) {
        require(getrs_nopivot_(no_transpose, problem_.rows, problem_.rhs, a, problem_.ld, b,
                               problem_.rows, &status),
                "getrs_nopiv_gpu");
      }
    }
    copy_up(operands_.info, &info, 1);
  }
  std::int64_t bytes() const override { return 0; }  // it allocates within its calls

 private:
  using Getrf = int(int m, int n, T* a, int lda, int* pivots, int* info);
  using GetrfNopivot = int(int m, int n, T* a, int lda, int* info);
  using Getrs = int(int trans, int n, int rhs, T* a, int lda, int* pivots, T* b, int ldb,
                    int* info);
  using GetrsNopivot = int(int trans, int n, int rhs, T* a, int lda, T* b, int ldb, int* info);

  bool solves() const { return problem_.operation == LUFACT_ARRAY_SOLVE; }
  // A zero pivot, info > 0, is no failure, whether it is returned or not.
  static void require_arguments(int status, int info, const char* what) {
    require(status == info && info > 0 ? 0 : status, what);
  }
  static void copy_up(void* to, const int* from, std::size_t count) {
    cuda_check(cudaMemcpy(to, from, count * sizeof(int), cudaMemcpyHostToDevice), "upload");
  }

  lufact_array_problem problem_;
  lufact_array_operands operands_;
  Getrf* getrf_ = nullptr;
  GetrfNopivot* getrf_nopivot_ = nullptr;
  Getrs* getrs_ = nullptr;
  GetrsNopivot* getrs_nopivot_ = nullptr;
  std::vector<int> pivots_;
};

// The file that the user names, or where the loader looks.
ForeignLibrary load_magma(const char* search_path) {
  const char* named = std::getenv("LUFACT_MAGMA_LIBRARY");
  return ForeignLibrary(library_folders(search_path, "LUFACT_MAGMA_ROOT"),
                        {named != nullptr ? named : "libmagma.so"}, how_to_get);
}

class MagmaArrays final : public ArraySolver {
 public:
  explicit MagmaArrays(const lufact_peer_options& options)
      : library_(load_magma(options.search_path)),
        kernel_(options.variant),
        device_(options.device) {
    open_device(device_);
    library_.function<int(int, int, double**, int, int**, int*, int, Queue)>(
        "magma_dgetrf_batched");  // says what is missing before anything is started
    require(library_.function<int()>("magma_init")(), "magma_init");
  }
  ~MagmaArrays() override { destroy_queue(); }
  MagmaArrays(const MagmaArrays&) = delete;
  MagmaArrays& operator=(const MagmaArrays&) = delete;

  ArrayFacts facts() const override {
    if (kernel_ == "hybrid" || kernel_ == "nopivot") return facts_of_one_matrix();
    const bool small = !kernel_.empty();
    const bool solves =
        !small && library_.optional_function<void()>("magma_dgetrs_batched") != nullptr;
    ArrayFacts facts;
    facts.on_device = true;
    facts.operations = bit(LUFACT_ARRAY_LU) | (solves ? bit(LUFACT_ARRAY_SOLVE) : 0u);
    if (small) facts.largest_order = largest_small_square;
    facts.library = "MAGMA";
    facts.version = version();
    facts.settings = {{"addresses", "made before the clock starts"},
                      {"kernel", small ? "getrf_batched_smallsq_" + kernel_ : "its choice"}};
    if (!small) facts.commands |= LUFACT_ARRAY_ONE_MATRIX;
    return facts;
  }

  std::int64_t prepare(const lufact_array_problem& problem,
                       const lufact_array_operands& operands) override {
    work_.reset();
    const bool small_kernel = kernel_ == "shfl" || kernel_ == "noshfl";
    // Behind an address there is a batch of one.
    const bool one = problem.count == 1 && problem.layout == LUFACT_ARRAY_CONTIGUOUS;
    with_precision(problem.precision, [&](auto value) {
      using T = decltype(value);
      if (one && !small_kernel) {
        work_ = std::make_unique<OneMatrix<T>>(library_, problem, operands, kernel_);
      } else {
        work_ = std::make_unique<TypedWork<T>>(library_, problem, operands, kernel_);
      }
    });
    return work_->bytes();
  }

  void run(void* stream) override {
    if (queue_ == nullptr || stream != stream_) create_queue(stream);
    work_->run(queue_);
    wait_for(stream);
  }

 private:
  ArrayFacts facts_of_one_matrix() const {
    ArrayFacts facts;
    facts.on_device = true;
    facts.commands = LUFACT_ARRAY_ONE_MATRIX;
    facts.operations = bit(LUFACT_ARRAY_LU) | bit(LUFACT_ARRAY_SOLVE);
    facts.layouts = bit(LUFACT_ARRAY_CONTIGUOUS);
    facts.gives_pivots = kernel_ == "hybrid";
    facts.pivoting =
        bit(facts.gives_pivots ? LUFACT_ARRAY_PIVOTING_PARTIAL : LUFACT_ARRAY_PIVOTING_NONE);
    facts.library = "MAGMA";
    facts.version = version();
    return facts;
  }

  void create_queue(void* stream) {
    using Create = void(int device, cudaStream_t, void* cublas, void* cusparse, Queue*,
                        const char* function, const char* file, int line);
    destroy_queue();
    library_.function<Create>("magma_queue_create_from_cuda_internal")(
        device_, static_cast<cudaStream_t>(stream), nullptr, nullptr, &queue_, __func__, __FILE__,
        __LINE__);
    if (queue_ == nullptr) throw Failure(LUFACT_PEER_ERROR, "MAGMA made no queue");
    stream_ = stream;
  }
  void destroy_queue() noexcept {
    using Destroy = void(Queue, const char* function, const char* file, int line);
    auto* destroy = library_.optional_function<Destroy>("magma_queue_destroy_internal");
    if (queue_ != nullptr && destroy != nullptr) destroy(queue_, __func__, __FILE__, __LINE__);
    queue_ = nullptr;
  }

  std::string version() const {
    auto* get = library_.optional_function<void(int*, int*, int*)>("magma_version");
    if (get == nullptr) return "not known";
    int major = 0, minor = 0, micro = 0;
    get(&major, &minor, &micro);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
  }

  ForeignLibrary library_;
  std::string kernel_;
  int device_;
  Queue queue_ = nullptr;
  void* stream_ = nullptr;
  std::unique_ptr<Work> work_;
};

constexpr lufact_peer_text variants[] = {
    {"shfl", "the kernel with shuffles for orders to 32"},
    {"noshfl", "the kernel with shared memory for orders to 32"},
    {"hybrid", "one matrix on GPU and CPU: getrf_gpu"},
    {"nopivot", "one matrix without pivoting: getrf_nopiv_gpu"}};

std::unique_ptr<ArraySolver> make(const lufact_peer_options& options) {
  return std::make_unique<MagmaArrays>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_array_peer_api* lufact_array_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_array_peer_api api = make_array_api<make>(
      "magma", "MAGMA: batched LU, its choice of kernel, or one matrix, on the GPU", variants);
  return &api;
}
