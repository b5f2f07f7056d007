// SPDX-License-Identifier: BSD-3-Clause
// bench_multifrontal ORDERING[,ORDERING...] REPETITIONS MATRIX...: device time of a refactorization
// by gpu-multifrontal, of a solve with its factors, and of a residual, for one right-hand side in
// double precision; then the host's time of all of these with new values that are on the device,
// with a wait for each, with one for all, and with a solve beside the factorization. Smallest and
// median of the repetitions, in microseconds. A MATRIX is a file or a generator with sizes, as
// grid2d:nx=400,ny=400; it is matched, and postordered after ORDERING.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/statistics.hpp"
#include "core/pipeline/front_products.hpp"
#include "core/pipeline/queued_work.hpp"
#include "gpu/fronts/bench/front_problems.hpp"
#include "gpu/matrix/transfers.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/test_support/stream_timer.hpp"

namespace lufact::gpu {
namespace {

class Bench {
 public:
  Bench(DeviceSession& session, int repetitions)
      : session_(session), repetitions_(repetitions), problems_(session, Pivoting::fixed_rows) {}

  void run(const std::string& name, const CsrMatrix& matrix, const std::string& ordering_name) {
    const FactoredFronts fronts = problems_.factor(matrix, ordering_name);
    const auto& [b, host_graph, device_b, factors] = fronts;
    const auto vectors = make_device_vector_backend(session_);
    const auto rhs = vectors->make(matrix.pattern.n_rows, 1);
    const auto x = vectors->make(matrix.pattern.n_rows, 1);
    const auto r = vectors->make(matrix.pattern.n_rows, 1);
    std::vector<double> values(static_cast<std::size_t>(matrix.pattern.n_rows));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = symmetric_interval(hash64(3, k));
    vectors->write(values, *rhs);
    const auto given = vectors->make(static_cast<Index>(matrix.values.size()), 1);
    vectors->write(matrix.values, *given);
    const Together together{*b, *device_b, *given, *factors, *vectors, *rhs, *x, *r};
    std::vector<double> refactor, solve, residual, waits, one_wait, beside;
    for (int k = 0; k <= repetitions_; ++k) {
      refactor.push_back(
          timer_.time(session_, [&] { fronts.factors->refactor(fronts.device_b, context_); }));
      solve.push_back(timer_.time(session_, [&] {
        fronts.factors->apply(*fronts.device_b, *vectors, *rhs, *x, "task-graph");
      }));
      residual.push_back(
          timer_.time(session_, [&] { vectors->residual(*fronts.device_b, 1, *x, *rhs, *r); }));
      waits.push_back(host_time([&] { refactor_with_waits(together); }));
      one_wait.push_back(host_time([&] { refactor_with_one_wait(together, false); }));
      beside.push_back(host_time([&] { refactor_with_one_wait(together, true); }));
    }
    const auto& graph = product_cast<TaskGraph>(*host_graph);
    fmt::print("{:<24} {:<12} {:>7} {:>7} {} {} {} {} {} {}\n", name, ordering_name,
               graph.factorization.tickets(), graph.solve.tickets(), column(refactor),
               column(solve), column(residual), column(waits), column(one_wait), column(beside));
    std::fflush(stdout);
  }

 private:
  struct Together {
    const PermutedMatrix& b;
    const Product& placed;
    const VectorBlock& given;
    Factors& factors;
    VectorBackend& vectors;
    const VectorBlock& rhs;
    VectorBlock &x, &r;
  };

  ProductPtr place(const Together& together) {
    for (const auto& transfer : transfers_) {
      if (const auto* there = find_part<const TransferOnDevice>(transfer.get())) {
        return there->run_with_values_there(together.b, together.given, together.placed, context_);
      }
    }
    throw Error(Outcome::unsupported, "transfer", "no transfer takes values on the device");
  }

  void refactor_with_waits(const Together& together) {
    const ProductPtr matrix = place(together);
    session_.synchronize();
    together.factors.refactor(matrix, context_);
    session_.synchronize();
    together.factors.apply(*matrix, together.vectors, together.rhs, together.x, "task-graph");
    together.vectors.residual(*matrix, 1, together.x, together.rhs, together.r);
  }

  void refactor_with_one_wait(const Together& together, bool beside) {
    auto& factors = *find_part<QueuedFactors>(&together.factors);
    auto& vectors = *find_part<QueuedVectors>(&together.vectors);
    const ProductPtr matrix = place(together);
    if (beside) {
      factors.queue_refactor_and_apply(matrix, together.vectors, together.rhs, together.x,
                                       "task-graph", context_);
    } else {
      factors.queue_refactor(matrix, context_);
      together.factors.apply(*matrix, together.vectors, together.rhs, together.x, "task-graph");
    }
    vectors.queue_residual(*matrix, 1, together.x, together.rhs, together.r);
    session_.synchronize();
    factors.finish_refactor(context_);
    vectors.queued_residual();
  }

  // Microseconds.
  double host_time(const std::function<void()>& work) {
    session_.synchronize();
    const auto begin = clock_.now();
    work();
    return std::chrono::duration<double, std::micro>(clock_.now() - begin).count();
  }

  // The first call prepares what later ones find ready.
  static std::string column(const std::vector<double>& times) {
    const auto summary = summarize(std::span(times).subspan(1));
    return fmt::format("{:>9.1f} {:>9.1f}", summary->min, summary->median);
  }

  DeviceSession& session_;
  int repetitions_;
  StreamTimer timer_;
  const std::vector<std::unique_ptr<Transfer>> transfers_ = make_transfers();
  SteadyClock clock_;
  FrontProblems problems_;
  StageContext& context_ = problems_.context();
};

void run(const std::vector<std::string>& orderings, int repetitions,
         std::span<const std::string> matrices) {
  DeviceSession session(SessionOptions{});
  Bench bench(session, repetitions);
  fmt::print("{:<24} {:<12} {:>7} {:>7} {:>19} {:>19} {:>19} {:>19} {:>19} {:>19}\n", "matrix",
             "ordering", "tickets", "solve's", "refactorization us", "solve us", "residual us",
             "all, waits", "all, one wait", "all, solve beside");
  for (const std::string& word : matrices) {
    try {
      const NamedMatrix given = load_matrix(word);
      for (const std::string& ordering : orderings) bench.run(given.name, given.matrix, ordering);
    } catch (const Error& error) {
      fmt::print("{}: {}\n", word, error.what());
    }
  }
}

}  // namespace
}  // namespace lufact::gpu

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "usage: bench_multifrontal ORDERING[,ORDERING...] REPETITIONS MATRIX...\n");
    return 2;
  }
  try {
    lufact::gpu::run(lufact::gpu::split(words[0], ','), std::stoi(words[1]),
                     std::span(words).subspan(2));
  } catch (const lufact::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
