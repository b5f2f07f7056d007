// SPDX-License-Identifier: BSD-3-Clause
// bench_ordering [--benchmark_...] MATRIX...: time and quality of orderings on matched matrices.
// A MATRIX is a file or a generator with sizes, as grid2d:nx=400,ny=400. Counters: nnz_L with
// diagonal, flops of LU on the pattern of A + A', those on the heaviest path of the elimination
// tree, its height. The number after a name is that of threads; 0: all.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <omp.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/heap.hpp"
#include "core/generate/generate.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/parallel.hpp"
#include "core/matrix/reader.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/graph/ordering_cost.hpp"
#include "core/order/metis_ordering.hpp"
#include "core/order/nd/nested_dissection.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"

namespace lufact {
namespace {

struct Problem {
  std::string name;
  CsrMatrix matrix;
  CsrPattern matched;
};

CsrMatrix load(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return read_matrix(word, {}).matrix;
  GeneratorFacts facts;
  facts.kind = word.substr(0, colon);
  facts.seed = 1;
  for (std::size_t begin = colon + 1; begin < word.size();) {
    const std::size_t end = std::min(word.find(',', begin), word.size());
    const std::size_t equals = word.find('=', begin);
    facts.sizes.emplace_back(word.substr(begin, equals - begin),
                             std::stoll(word.substr(equals + 1, end - equals - 1)));
    begin = end + 1;
  }
  return generate_matrix(facts);
}

std::shared_ptr<const Problem> make_problem(const std::string& word) {
  auto problem = std::make_shared<Problem>();
  problem->name = word.substr(word.find_last_of('/') + 1);
  problem->name.resize(std::min(problem->name.size(), problem->name.find(".mtx")));
  problem->matrix = load(word);
  std::vector<Warning> warnings;
  const Matching matching = mc64(problem->matrix, false, warnings, thread_count(0));
  problem->matched = permuted_rows(problem->matrix, matching.rows);
  return problem;
}

using Order = std::function<Permutation(const CsrPattern&, PhaseRecorder&)>;

void add_ordering(const std::string& name, const std::shared_ptr<const Problem>& problem,
                  const Order& order) {
  const auto body = [problem, order](benchmark::State& state) {
    const SteadyClock clock;
    PhaseRecorder phases(clock);
    Permutation perm;
    for (auto _ : state) perm = order(problem->matched, phases);
    for (const PhaseTime& phase : phases.take()) {
      state.counters[phase.name + "_ms"] =
          1e3 * phase.wall_s / static_cast<double>(state.iterations());
    }
    const OrderingCost cost = ordering_cost(problem->matched, perm);
    state.counters["nnz_L"] = cost.nnz_l;
    state.counters["flops"] = cost.flops;
    state.counters["path"] = cost.path.flops;
    state.counters["height"] = cost.path.columns;
  };
  benchmark::RegisterBenchmark((problem->name + "/" + name).c_str(), body)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

Permutation dissected(const CsrPattern& pattern, int threads, bool by_level,
                      PhaseRecorder& phases) {
  const nd::Dissection parts = nd::dissect(pattern.view(), threads, phases);
  std::vector<Index> order = parts.leaves;
  const std::vector<Index>& tail = by_level ? parts.by_level : parts.by_degree;
  order.insert(order.end(), tail.begin(), tail.end());
  order.insert(order.end(), parts.last.begin(), parts.last.end());
  return Permutation::from_old_of_new(std::move(order));
}

// Of other steps of preprocessing: time alone.
void add_step(const std::string& name, const std::shared_ptr<const Problem>& problem,
              const std::function<void()>& step) {
  benchmark::RegisterBenchmark((problem->name + "/" + name).c_str(),
                               [step](benchmark::State& state) {
                                 for (auto _ : state) step();
                               })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void add_steps(const std::shared_ptr<const Problem>& problem) {
  const auto ordering = std::make_shared<Ordering>();
  ordering->perm = amd_ordering(problem->matched);
  for (const int threads : {1, 0}) {
    add_step(fmt::format("mc64/{}", threads), problem, [problem, threads] {
      std::vector<Warning> warnings;
      benchmark::DoNotOptimize(mc64(problem->matrix, false, warnings, thread_count(threads)));
    });
    add_step(fmt::format("postorder/{}", threads), problem, [problem, ordering, threads] {
      benchmark::DoNotOptimize(
          compose_postorder(problem->matched, *ordering, thread_count(threads)));
    });
  }
}

void add_problem(const std::shared_ptr<const Problem>& problem) {
  add_ordering("amd", problem, [](const CsrPattern& a, PhaseRecorder&) { return amd_ordering(a); });
  if (metis_available()) {
    add_ordering("metis", problem,
                 [](const CsrPattern& a, PhaseRecorder&) { return metis_ordering(a); });
  }
  for (const int threads : {1, 4, 8, 0}) {
    add_ordering(fmt::format("nd-parallel/{}", threads), problem,
                 [threads](const CsrPattern& a, PhaseRecorder& phases) {
                   return dissected(a, threads, false, phases);
                 });
  }
  add_ordering("nd-parallel-levels/0", problem, [](const CsrPattern& a, PhaseRecorder& phases) {
    return dissected(a, 0, true, phases);
  });
  add_steps(problem);
}

}  // namespace
}  // namespace lufact

int main(int argc, char** argv) {
  lufact::keep_freed_memory();  // as in a worker, where repetitions follow one another
  benchmark::Initialize(&argc, argv);
  for (int k = 1; k < argc; ++k) {
    try {
      lufact::add_problem(lufact::make_problem(argv[k]));
    } catch (const lufact::Error& error) {
      fmt::print(stderr, "{}: {}\n", argv[k], error.what());
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
