// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins for dense matrices that behave in every way that one can: plain elimination on the host,
// whose variants fail on purpose. FAKE_NAME is the plug-in's name; FAKE_OTHER_ABI claims another
// version of the interface.
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "baselines/peers/plugins/array_plugin.hpp"

namespace lufact::peers {
namespace {

class Fake final : public ArraySolver {
 public:
  explicit Fake(const lufact_peer_options& options)
      : threads_(options.threads), variant_(options.variant) {
    if (variant_ == "absent") {
      throw Failure(LUFACT_PEER_UNSUPPORTED, "libfake.so.3: cannot open shared object file");
    }
  }

  ArrayFacts facts() const override {
    ArrayFacts facts;
    facts.threads = variant_ == "alone" ? 1 : threads_;
    facts.operations = bit(LUFACT_ARRAY_LU);
    facts.layouts = bit(LUFACT_ARRAY_CONTIGUOUS);
    facts.precisions = bit(LUFACT_ARRAY_FLOAT64);
    facts.largest_order = 48;
    facts.library = "fake";
    facts.version = "3.1.4";
    facts.settings = {{"variant", variant_}};
    warn_on_one_thread(facts, threads_, "its threads are missing");
    return facts;
  }

  std::int64_t prepare(const lufact_array_problem& problem,
                       const lufact_array_operands& operands) override {
    if (variant_ == "memory") throw std::bad_alloc();
    problem_ = problem;
    operands_ = operands;
    return 4711;
  }

  void run(void*) override {
    if (variant_ == "crash") std::abort();
    if (variant_ == "hang") sleep(600);
    if (variant_ == "fail") throw Failure(LUFACT_PEER_ERROR, "status 13");
    for (std::int64_t k = 0; k < problem_.count; ++k) factor(k);
    if (variant_ == "pivot" && problem_.rows > 1) operands_.pivots[0] = problem_.rows;
    if (variant_ == "info") operands_.info[0] = 1;
    if (variant_ == "value") static_cast<double*>(operands_.a)[0] += 1;
  }

 private:
  void factor(std::int64_t k) {
    const int n = problem_.rows, ld = problem_.ld;
    double* a = static_cast<double*>(operands_.a) + k * matrix_stride(problem_);
    operands_.info[k] = 0;
    for (int step = 0; step < n; ++step) {
      int pivot = step;
      for (int i = step + 1; i < n; ++i) {
        if (std::abs(a[step * ld + i]) > std::abs(a[step * ld + pivot])) pivot = i;
      }
      operands_.pivots[k * n + step] = pivot + 1;
      for (int j = 0; j < n; ++j) std::swap(a[j * ld + step], a[j * ld + pivot]);
      if (a[step * ld + step] == 0) {
        if (operands_.info[k] == 0) operands_.info[k] = step + 1;
        continue;
      }
      for (int i = step + 1; i < n; ++i) a[step * ld + i] /= a[step * ld + step];
      for (int j = step + 1; j < n; ++j) {
        for (int i = step + 1; i < n; ++i) a[j * ld + i] -= a[step * ld + i] * a[j * ld + step];
      }
    }
  }

  int threads_;
  std::string variant_;
  lufact_array_problem problem_{};
  lufact_array_operands operands_{};
};

constexpr lufact_peer_text variants[] = {
    {"alone", "uses one thread"},         {"absent", "cannot be opened"},
    {"memory", "runs out of memory"},     {"crash", "aborts in run"},
    {"hang", "does not return from run"}, {"fail", "fails in run"},
    {"pivot", "gives a wrong pivot"},     {"info", "gives a wrong info"},
    {"value", "gives a wrong factor"}};

std::unique_ptr<ArraySolver> make(const lufact_peer_options& options) {
  return std::make_unique<Fake>(options);
}

}  // namespace
}  // namespace lufact::peers

LUFACT_PEER_EXPORT const lufact_array_peer_api* lufact_array_peer_get_api(void) {
  using namespace lufact::peers;
  static const lufact_array_peer_api api = [] {
    auto made = make_array_api<make>(FAKE_NAME, "a plug-in for tests", variants);
#ifdef FAKE_OTHER_ABI
    made.abi_version = 2;
#endif
    return made;
  }();
  return &api;
}
