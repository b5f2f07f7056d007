// SPDX-License-Identifier: BSD-3-Clause
// LAPACK as OpenBLAS has it: getrf, getri and getrs of a matrix on one thread, OpenMP over the
// batch, or of one matrix on all. The library is loaded at run time.
#include <optional>

#include "baselines/peers/plugins/lapack_functions.hpp"

namespace lufact::peers {
namespace {

const char how_to_get[] =
    "install libopenblas0, or set LUFACT_OPENBLAS_ROOT to the folder of libopenblas.so.0";

class OpenBlasLoop final : public ArraySolver {
 public:
  explicit OpenBlasLoop(const lufact_peer_options& options)
      : library_(library_folders(options.search_path, "LUFACT_OPENBLAS_ROOT"),
                 {"libopenblas.so.0", "libopenblas.so"}, how_to_get),
        threads_(options.threads),
        threads_taken_(set_threads(options.threads)) {
    set_threads(1);  // its threads sleep until a matrix is theirs
  }

  ArrayFacts facts() const override {
    ArrayFacts facts;
    facts.threads = threads_;
    facts.operations = lapack_operations;
    facts.in_place = true;
    facts.library = "OpenBLAS";
    auto* config = library_.optional_function<char*()>("openblas_get_config");
    facts.version = config == nullptr ? "not known" : config();
    facts.commands = LUFACT_ARRAY_BATCHES | LUFACT_ARRAY_ONE_MATRIX;
    facts.settings = {{"threads within a matrix of a batch", "1"},
                      {"threads within one matrix", std::to_string(threads_taken_)}};
    if (auto* core = library_.optional_function<char*()>("openblas_get_corename")) {
      facts.settings.emplace_back("core", core());
    }
    return facts;
  }

  std::int64_t prepare(const lufact_array_problem& problem,
                       const lufact_array_operands& operands) override {
    doubles_.reset();
    floats_.reset();
    // Threads within a matrix of order 64 cost more than they save, and a team is around it.
    set_threads(problem.count == 1 ? threads_ : 1);
    if (problem.precision == LUFACT_ARRAY_FLOAT64) {
      return doubles_.emplace(library_, threads_).prepare(problem, operands);
    }
    return floats_.emplace(library_, threads_).prepare(problem, operands);
  }
  void run(void*) override {
    if (doubles_) doubles_->run();
    if (floats_) floats_->run();
  }

 private:
  // Those that the library then uses: its builds have a limit, and one without threads takes no
  // other number than 1.
  int set_threads(int wanted) const {
    library_.function<void(int)>("openblas_set_num_threads")(wanted);
    return library_.function<int()>("openblas_get_num_threads")();
  }

  ForeignLibrary library_;
  int threads_, threads_taken_;
  std::optional<LapackLoop<double>> doubles_;
  std::optional<LapackLoop<float>> floats_;
};

constexpr lufact_peer_text variants[] = {{"omp", "the same: OpenMP over the batch"}};

std::unique_ptr<ArraySolver> make(const lufact_peer_options& options) {
  return std::make_unique<OpenBlasLoop>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_array_peer_api* lufact_array_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_array_peer_api api = make_array_api<make>(
      "lapack", "LAPACK of OpenBLAS: a matrix a thread, or one on all", variants);
  return &api;
}
