// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/fronts/plan/device_bytes.hpp"
#include "gpu/fronts/numeric/device_front_factors.hpp"
#include "gpu/fronts/numeric/multifrontal_kernel.hpp"
#include "gpu/matrix/new_values.hpp"
#include "gpu/numeric/column_engine.hpp"
#include "gpu/solve/device_vectors.hpp"

namespace lufact::gpu {
namespace {

void require_same(Offset expected, Offset given, const char* what) {
  if (expected == given) return;
  throw std::logic_error(std::string(what) + ": " + std::to_string(given) + ", not " +
                         std::to_string(expected));
}

Offset part_count(const DeviceTaskGraph& graph) {
  return static_cast<Offset>(graph.part_end.size());
}

constexpr Offset counter_words = sizeof(NumericCounters) / sizeof(unsigned);
static_assert(sizeof(NumericCounters) == front_counter_words * sizeof(unsigned));
static_assert(alignof(NumericCounters) <= 2 * sizeof(unsigned));
static_assert(sizeof(TaskRecord) == sizeof(FrontTask) + sizeof(FrontShape));

FrontCounts counts_of(const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                      const StageOptions& options) {
  return {.n = tree.n,
          .rows = tree.row.size(),
          .entries = graph.entry_source.size(),
          .fronts = graph.fronts,
          .flags = graph.flags,
          .tasks = graph.factorization.task.size() + graph.solve.task.size(),
          .parts = part_count(graph),
          .solve_parts = std::max<Offset>(static_cast<Offset>(graph.solve_end.size()), 1),
          .pivoting = options.pivoting,
          .sweeps = many_sweeps(options.rhs, options.transposed)};
}

// Words of one factorization, whatever the options.
Offset word_count(const DeviceFrontTree& tree, const DeviceTaskGraph& graph) {
  return factorization_words(counts_of(tree, graph, {}));
}

Offset row_source_count(const DeviceFrontTree& tree, Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? 0 : tree.n;
}

// Bytes that the constructor allocates.
template <class T>
std::uint64_t factor_bytes(const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                           const StageOptions& options) {
  return checked_bytes(FactorStore<T>::device_entries(graph), sizeof(T)) +
         front_work_bytes(counts_of(tree, graph, options), sizeof(T));
}

// Checks that everything fits, then returns the session.
template <class T>
DeviceSession& session_with_room(const DeviceFrontTree& tree, const DeviceTaskGraph& graph,
                                 StageContext& context) {
  std::string what = "multifrontal factorization (";
  what += std::to_string(checked_bytes(graph.contribution_entries, sizeof(T)));
  what +=
      part_count(graph) > 1
          ? " bytes of it for contribution blocks, although subtrees come one after the other"
          : " bytes of it for contribution blocks, as a rule fewer with --numeric gpu-multifrontal "
            "--levelize task-graph-parts";
  what +=
      graph.factor_end.empty() ? "; with --factors host factors do not stay on the device)" : ")";
  context.device->ledger().require_resident(factor_bytes<T>(tree, graph, context.options), what);
  return *context.device;
}

}  // namespace

template <class T>
DeviceFrontFactors<T>::DeviceFrontFactors(ProductPtr tree, ProductPtr graph, StageContext& context)
    : session_(session_with_room<T>(product_cast<DeviceFrontTree>(*tree),
                                    product_cast<DeviceTaskGraph>(*graph), context)),
      tree_product_(std::move(tree)),
      graph_product_(std::move(graph)),
      tree_(product_cast<DeviceFrontTree>(*tree_product_)),
      graph_(product_cast<DeviceTaskGraph>(*graph_product_)),
      records_(session_, MemoryRole::resident, graph_.factorization.task.size(),
               "records of tasks"),
      solve_records_(session_, MemoryRole::resident, graph_.solve.task.size(),
                     "records of the solves"),
      entry_scale_(session_, MemoryRole::resident, graph_.entry_source.size(), "scales of entries"),
      factors_(session_, graph_),
      row_source_(session_, MemoryRole::resident, row_source_count(tree_, context.options.pivoting),
                  "rows of pivots"),
      words_(session_, MemoryRole::resident, 2 * word_count(tree_, graph_), "flags of tiles"),
      solve_space_(session_, tree_, graph_, context.options),
      pivoting_(context.options.pivoting),
      way_(product_way(graph_.host_shape)),
      blocks_(resident_blocks<T>(session_, pivoting_, way_)) {
  const auto scope = context.phases.scope("plan");
  // Large fronts have no row sources.
  row_source_.fill_bytes(0);
  words_.fill_bytes(0);
  make_records(session_, graph_.factorization, graph_, records_.data());
  make_records(session_, graph_.solve, graph_, solve_records_.data());
}

template <class T>
void DeviceFrontFactors<T>::prepare_scaling(const DevicePermutedMatrix& matrix) {
  const bool same =
      row_scale_.data() == matrix.row_scale.data() && col_scale_.data() == matrix.col_scale.data();
  if (same) return;
  make_entry_scales(session_, matrix, graph_, entry_scale_.data());
  row_scale_ = matrix.row_scale;
  col_scale_ = matrix.col_scale;
}

template <class T>
FrontProblem<T> DeviceFrontFactors<T>::problem(const DevicePermutedMatrix& matrix,
                                               NumericCounters* report_to) {
  FrontProblem<T> problem;
  problem.plan = {graph_.shape.data(),
                  graph_.child.data(),
                  records_.data(),
                  graph_.factorization.ticket.data(),
                  graph_.block.data(),
                  graph_.entry_source.data(),
                  graph_.entry_place.data(),
                  tree_.parent_row.data(),
                  graph_.factorization.tickets};
  const Offset words = word_count(tree_, graph_);
  unsigned* const own = words_.data() + turn_ * words;
  unsigned* const blocks_done = own + counter_words;
  unsigned* const tickets = blocks_done + 1;
  unsigned* const flags = tickets + part_count(graph_);
  problem.sync = {tickets, flags, flags + graph_.flags};
  problem.idle = {words_.data() + (1 - turn_) * words, words};
  problem.values = matrix.values.data();
  problem.entry_scale = entry_scale_.data();
  problem.contributions = factors_.contributions();
  problem.counters = reinterpret_cast<NumericCounters*>(own);
  problem.report = {problem.counters, blocks_done, report_to};
  problem.row_source = row_source_.data();
  return problem;
}

template <class T>
void DeviceFrontFactors<T>::prepare(const DevicePermutedMatrix& matrix) {
  require_same(tree_.n, matrix.n, "the order of the matrix");
  require_same(entry_scale_.size(), matrix.nnz, "the entries of the matrix");
  prepare_scaling(matrix);
}

template <class T>
void DeviceFrontFactors<T>::compute(const DevicePermutedMatrix& matrix, StageContext& context) {
  prepare(matrix);
  FrontProblem<T> task = problem(matrix, control_place<NumericCounters>(session_));
  task.rule = {static_cast<T>(context.options.pivot_threshold * matrix.scaled_norm)};
  eliminate_parts(task);
  const bool launched = graph_.factorization.tickets > 0;
  report(launched ? take_value<NumericCounters>(session_) : NumericCounters{}, context);
}

template <class T>
RunningFactorization DeviceFrontFactors<T>::queue(const ProductPtr& matrix, bool beside_solve,
                                                  StageContext& context) {
  const auto& b = product_cast<DevicePermutedMatrix>(*matrix);
  if (!b.source.space || !b.source.space->norm) {
    throw std::logic_error("a queued refactorization is one with new values");
  }
  prepare(b);
  if (queued_counters_.size() == 0) {
    queued_counters_ = {session_, MemoryRole::resident, 1, "counters of pivots",
                        MemoryKind::pinned};
  }
  FrontProblem<T> task = problem(b, queued_counters_.data());
  task.threshold = {b.source.space->norm_there.data(), context.options.pivot_threshold};
  RunningFactorization running;
  if (beside_solve) {
    task.sync.stored = task.sync.done + graph_.fronts;
    task.report.complete = task.sync.stored + graph_.fronts;
    running = {task.sync.stored, task.sync.flag, task.report.complete};
  }
  eliminate_parts(task);
  return running;
}

template <class T>
void DeviceFrontFactors<T>::queue_refactor(const ProductPtr& matrix, StageContext& context) {
  queue(matrix, false, context);
}

template <class T>
void DeviceFrontFactors<T>::queue_refactor_and_apply(const ProductPtr& matrix, VectorBackend&,
                                                     const VectorBlock& b, VectorBlock& x,
                                                     std::string_view method,
                                                     StageContext& context) {
  const bool beside = part_count(graph_) == 1 && !factors_.on_host() &&
                      graph_.factorization.tickets > 0 && x.columns() == 1;
  const RunningFactorization running = queue(matrix, beside, context);
  sweep(scaled_vectors(*matrix, b, x), x, method, false, running);
}

template <class T>
void DeviceFrontFactors<T>::finish_refactor(StageContext& context) {
  NumericCounters counters{};
  if (graph_.factorization.tickets > 0) {
    session_.take_control(&counters, queued_counters_.data(), sizeof counters);
  }
  report(counters, context);
}

// Between two launches in one stream all writes are complete and visible. Task numbers and flags
// are those of the whole graph.
template <class T>
void DeviceFrontFactors<T>::eliminate_parts(FrontProblem<T> problem) {
  const Index* const ticket = problem.plan.ticket;
  Index begin = 0, part = 0;
  for (const Index end : graph_.part_end) {
    problem.plan.ticket = ticket + begin;
    problem.plan.tickets = end - begin;
    problem.factors = factors_.begin_writing(part);
    launch_(session_, problem, pivoting_, way_, blocks_);
    factors_.end_writing(part);
    ++problem.sync.next_ticket;
    ++part;
    begin = end;
  }
  turn_ = 1 - turn_;
}

template <class T>
void DeviceFrontFactors<T>::report(const NumericCounters& counters, StageContext& context) {
  if (counters.unusable_pivots > 0) {
    context.notes.warnings.push_back(
        {"unusable_pivots", std::to_string(counters.unusable_pivots) +
                                " pivots are zero or not finite; the factors are not usable"});
  }
  figures_ = {};
  figures_.precision = precision_of<T>;
  if (pivoting_ == Pivoting::diagonal_block) {
    figures_.exchanged_rows = static_cast<Offset>(counters.exchanged_rows);
  }
  figures_.perturbed_pivots = static_cast<Offset>(counters.perturbed_pivots);
  figures_.largest_perturbation = std::bit_cast<double>(counters.largest_perturbation);
  if (factors_.on_host()) {
    figures_.host_bytes = factors_.host_bytes();
    figures_.host_parts = factors_.parts();
  }
}

template <class T>
void DeviceFrontFactors<T>::solve(VectorBlock& x, std::string_view method) const {
  double* const values = device_block(x).data();
  sweep({values, values, nullptr, nullptr}, x, method);
}

template <class T>
void DeviceFrontFactors<T>::solve_transposed(VectorBlock& x, std::string_view method) const {
  double* const values = device_block(x).data();
  sweep({values, values, nullptr, nullptr}, x, method, true);
}

template <class T>
FrontVectors DeviceFrontFactors<T>::scaled_vectors(const Product& matrix, const VectorBlock& b,
                                                   VectorBlock& x) const {
  const auto& scaled = product_cast<DevicePermutedMatrix>(matrix);
  require_same(tree_.n, scaled.n, "the order of the matrix");
  require_same(device_block(b).size(), device_block(x).size(), "the entries of the solution");
  return {device_block(b).data(), device_block(x).data(), scaled.row_scale.data(),
          scaled.col_scale.data()};
}

template <class T>
void DeviceFrontFactors<T>::apply(const Product& matrix, VectorBackend&, const VectorBlock& b,
                                  VectorBlock& x, std::string_view method) const {
  sweep(scaled_vectors(matrix, b, x), x, method);
}

// `x` has the shape of the vectors.
template <class T>
void DeviceFrontFactors<T>::sweep(const FrontVectors& vectors, const VectorBlock& x,
                                  std::string_view method, bool transposed,
                                  const RunningFactorization& running) const {
  if (method != "task-graph") {
    throw Error(Outcome::unsupported, "solve_method",
                "fronts are solved by task-graph, not by " + std::string(method));
  }
  require_same(tree_.n, x.rows(), "the rows of the right-hand sides");
  solve_fronts(session_, tree_, graph_, solve_records_.data(), factors_,
               pivoting_ == Pivoting::fixed_rows ? nullptr : row_source_.data(), solve_space_,
               vectors, x.columns(), transposed, running);
}

template <class T>
void DeviceFrontFactors<T>::refactor(const ProductPtr& matrix, StageContext& context) {
  compute(product_cast<DevicePermutedMatrix>(*matrix), context);
}

template <class T>
std::vector<double> DeviceFrontFactors<T>::stored_values() const {
  const std::vector<T> values = factors_.download();
  return {values.begin(), values.end()};
}

template <class T>
std::vector<double> DeviceFrontFactors<T>::pivot_sizes() const {
  const std::vector<T> values = factors_.download(reciprocal_places(graph_.host_shape, tree_.n));
  std::vector<double> sizes(values.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sizes[k] = std::abs(1 / static_cast<double>(values[k]));
  }
  return sizes;
}

template class DeviceFrontFactors<float>;
template class DeviceFrontFactors<double>;

}  // namespace lufact::gpu
