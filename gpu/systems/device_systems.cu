// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/base/error.hpp"
#include "core/systems/system_chunks.hpp"
#include "gpu/fronts/numeric/task_records.hpp"
#include "gpu/matrix/new_values.hpp"
#include "gpu/solve/row_labels.hpp"
#include "gpu/systems/device_systems.hpp"
#include "gpu/systems/system_values.hpp"
#include "gpu/systems/systems_kernels.hpp"

namespace lufact::gpu {
namespace {

void require_same(Offset expected, Offset given, const char* what) {
  if (expected == given) return;
  throw std::logic_error(std::string(what) + ": " + std::to_string(given) + ", not " +
                         std::to_string(expected));
}

// Arrays of a system begin at multiples of this many entries: tiles are copied by 16 bytes.
constexpr Offset entries_together = 32;
constexpr Offset padded(Offset entries) {
  return (entries + entries_together - 1) / entries_together * entries_together;
}

// What every system has, in entries.
struct SystemSizes {
  Index n = 0;
  Offset given = 0;  // values of A
  SystemStrides stride;
  Offset row_sources = 0;

  SystemSizes(const AnalysedPattern& pattern, const DeviceFrontTree& tree,
              const DeviceTaskGraph& graph, Pivoting pivoting)
      : n(tree.n),
        given(pattern.host_matrix->pattern.nnz() - pattern.host_matrix->missing_diagonals_added),
        row_sources(pivoting == Pivoting::fixed_rows ? 0 : tree.n) {
    const Offset flags = Offset{graph.flags} + graph.fronts;
    stride.values = pattern.host_matrix->pattern.nnz();
    stride.factors = padded(graph.factor_entries);
    stride.contributions = padded(graph.contribution_entries);
    stride.words = flags;
    stride.solve_contributions = tree.row.size();
    stride.solve_words = 2 * flags;
    stride.n = n;
  }

  // Vectors: b, x, r, a step, the x before it.
  static constexpr Offset vectors = 5;
  // Of arrays of T: factors, contribution blocks, the solve's solution and contributions.
  Offset values_of_t() const {
    return stride.factors + stride.contributions + n + stride.solve_contributions;
  }
  template <class T>
  std::uint64_t bytes() const {
    return checked_bytes(values_of_t(), sizeof(T)) +
           checked_bytes(given + stride.values + vectors * n + 2, sizeof(double)) +
           checked_bytes(stride.words + stride.solve_words, sizeof(unsigned)) +
           checked_bytes(row_sources + 1, sizeof(unsigned char)) + sizeof(NumericCounters) +
           sizeof(ColumnNorms) + sizeof(unsigned long long);
  }
};

// The plan, on the device: what all systems share.
class SharedPlan {
 public:
  SharedPlan(const AnalysedPattern& pattern, DeviceSession& session)
      : matrix(product_cast<DevicePermutedMatrix>(*pattern.matrix)),
        tree(product_cast<DeviceFrontTree>(*pattern.symbolic)),
        graph(product_cast<DeviceTaskGraph>(*pattern.schedule)),
        source(upload_sources(session, pattern.host_matrix->source,
                              pattern.host_matrix->pattern.nnz())),
        rows(session, pattern.host_matrix->rows.old_of_new()),
        columns(session, pattern.host_matrix->cols.old_of_new()),
        records(session, MemoryRole::resident, graph.factorization.task.size(), "records of tasks"),
        solve_records(session, MemoryRole::resident, graph.solve.task.size(),
                      "records of the solves"),
        entry_scale(session, MemoryRole::resident, graph.entry_source.size(), "scales of entries"),
        tickets(session, MemoryRole::resident, static_cast<Offset>(graph.part_end.size()) + 1,
                "next tickets") {
    make_records(session, graph.factorization, graph, records.data());
    make_records(session, graph.solve, graph, solve_records.data());
    make_entry_scales(session, matrix, graph, entry_scale.data());
  }

  FrontPlan factorization() const {
    return {graph.shape.data(),
            graph.child.data(),
            records.data(),
            graph.factorization.ticket.data(),
            graph.block.data(),
            graph.entry_source.data(),
            graph.entry_place.data(),
            tree.parent_row.data(),
            graph.factorization.tickets};
  }
  FrontPlan solve() const {
    FrontPlan plan;
    plan.shape = graph.shape.data();
    plan.record = solve_records.data();
    plan.ticket = graph.solve.ticket.data();
    plan.tickets = graph.solve.tickets;
    plan.block = graph.block.data();
    plan.parent_row = tree.parent_row.data();
    return plan;
  }
  // Tickets that a system draws in a launch, at most.
  Offset most_tickets() const {
    return std::max<Offset>(graph.factorization.tickets, 2 * Offset{graph.solve.tickets});
  }

  const DevicePermutedMatrix& matrix;
  const DeviceFrontTree& tree;
  const DeviceTaskGraph& graph;
  EntrySources source;
  DeviceRowLabels rows, columns;
  Buffer<TaskRecord> records, solve_records;
  Buffer<double> entry_scale;
  Buffer<unsigned> tickets;  // of each part of the factorization, then of the solve
};

// The arrays of `most` systems.
template <class T>
struct SystemArrays {
  SystemArrays(DeviceSession& session, const SystemSizes& sizes, Index most)
      : given(make<double>(session, most, sizes.given, "values of A")),
        values(make<double>(session, most, sizes.stride.values, "values of B")),
        factors(make<T>(session, most, sizes.stride.factors, "values of fronts")),
        contributions(make<T>(session, most, sizes.stride.contributions, "contribution blocks")),
        row_source(make<unsigned char>(session, most, sizes.row_sources, "rows of pivots")),
        words(make<unsigned>(session, most, sizes.stride.words, "flags of tiles")),
        counters(make<NumericCounters>(session, most, 1, "counts of pivots")),
        scaled_norm(make<unsigned long long>(session, most, 1, "norms of scaled matrices")),
        solution(make<T>(session, most, sizes.n, "solutions of fronts")),
        solve_contributions(make<T>(session, most, sizes.stride.solve_contributions,
                                    "contributions of the solves")),
        solve_words(make<unsigned>(session, most, sizes.stride.solve_words, "flags of the solves")),
        b(make<double>(session, most, sizes.n, "right-hand sides")),
        x(make<double>(session, most, sizes.n, "solutions")),
        r(make<double>(session, most, sizes.n, "residuals")),
        step(make<double>(session, most, sizes.n, "steps of refinement")),
        before(make<double>(session, most, sizes.n, "solutions before a step")),
        matrix_norm(make<double>(session, most, 1, "norms of matrices")),
        error(make<double>(session, most, 1, "backward errors")),
        norms(make<ColumnNorms>(session, most, 1, "norms of residuals")),
        marked(make<unsigned char>(session, most, 1, "systems to refine")) {
    // No kernel writes the gaps and paddings of factors, nor the sources of large fronts.
    factors.fill_bytes(0);
    row_source.fill_bytes(0);
    norms.fill_bytes(0);
  }

  Buffer<double> given, values;
  Buffer<T> factors, contributions;
  Buffer<unsigned char> row_source;
  Buffer<unsigned> words;
  Buffer<NumericCounters> counters;
  Buffer<unsigned long long> scaled_norm;
  Buffer<T> solution, solve_contributions;
  Buffer<unsigned> solve_words;
  Buffer<double> b, x, r, step, before;
  Buffer<double> matrix_norm, error;
  Buffer<ColumnNorms> norms;
  Buffer<unsigned char> marked;

 private:
  template <class Entry>
  static Buffer<Entry> make(DeviceSession& session, Index most, Offset entries,
                            std::string_view what) {
    return {session, MemoryRole::resident, most * entries, what};
  }
};

// The systems of a chunk: as many as fit into what is left of the budget.
template <class T>
Index systems_in_memory(DeviceSession& session, const SystemSizes& sizes, const SharedPlan& plan,
                        const SystemsBlocks& blocks, Index count) {
  const std::uint64_t bytes = sizes.bytes<T>();
  session.ledger().require_resident(bytes, "one of several systems with one pattern");
  const Index most =
      systems_at_a_time(count, {.bytes = session.ledger().available(),
                                .per_system = bytes,
                                .tickets = plan.most_tickets(),
                                .spare_tickets = std::max(blocks.factorization, blocks.solve)});
  if (most > 0) return most;
  throw Error(Outcome::unsupported, "index_overflow", "one system has too many tasks");
}

// T is float or double.
template <class T>
class DeviceSystems final : public SystemsEngine {
 public:
  DeviceSystems(const AnalysedPattern& pattern, Index count, StageContext& context)
      : session_(*context.device),
        pattern_(pattern),
        pivoting_(context.options.pivoting),
        plan_(pattern_, session_),
        sizes_(pattern_, plan_.tree, plan_.graph, pivoting_),
        blocks_(resident_system_blocks<T>(session_, pivoting_)),
        most_(systems_in_memory<T>(session_, sizes_, plan_, blocks_, count)),
        arrays_(session_, sizes_, most_) {
    if (pattern.solve != "task-graph") {
      throw Error(Outcome::unsupported, "solve_method",
                  "fronts are solved by task-graph, not by " + pattern.solve);
    }
  }

  Index most() const override { return most_; }
  std::uint64_t bytes_per_system() const override { return sizes_.bytes<T>(); }

  void write(const SystemInputs& inputs) override {
    count_ = inputs.count;
    if (count_ > most_) throw std::logic_error("more systems than there is room for");
    require_same(count_ * sizes_.given, entries_of(inputs.values), "the values of systems");
    require_same(count_ * Offset{sizes_.n}, entries_of(inputs.b), "the right-hand sides");
    require_same(count_, static_cast<Offset>(inputs.matrix_norm.size()), "the norms");
    session_.copy_to_device(arrays_.given.data(), inputs.values);
    arrays_.scaled_norm.fill_bytes(0);
    place_system_values(session_, plan_.matrix, plan_.source, count_, arrays_.given.data(),
                        sizes_.given, arrays_.values.data(), arrays_.scaled_norm.data());
    arrays_.matrix_norm.upload(inputs.matrix_norm);
    write_right_hand_sides(inputs.b);
  }

  // One launch for each part of the graph. One copy back.
  void factor(StageContext& context) override {
    arrays_.words.fill_bytes(0);
    arrays_.counters.fill_bytes(0);
    plan_.tickets.fill_bytes(0);
    SystemsProblem<T> problem = elimination_problem(context.options.pivot_threshold);
    const Index* const ticket = problem.first.plan.ticket;
    Index begin = 0;
    for (const Index end : plan_.graph.part_end) {
      problem.first.plan.ticket = ticket + begin;
      problem.first.plan.tickets = end - begin;
      problem.order = order_systems(end - begin, count_);
      eliminate_systems(session_, problem, pivoting_, blocks_.factorization);
      ++problem.first.sync.next_ticket;
      begin = end;
    }
    counters_ = arrays_.counters.download(count_);
    warn_of_unusable_pivots(context);
  }

  SystemPivots pivots(Index system) const override {
    const NumericCounters& counters = counters_[at(system)];
    return {static_cast<Offset>(counters.perturbed_pivots),
            static_cast<Offset>(counters.exchanged_rows),
            std::bit_cast<double>(counters.largest_perturbation)};
  }

  void solve() override { sweep(arrays_.b.data(), arrays_.x.data()); }

  void residual(SystemMask of, std::span<double> error) override {
    require_same(count_, static_cast<Offset>(of.size()), "the marks of systems");
    system_residuals(session_, plan_.matrix, count_,
                     {arrays_.values.data(), arrays_.b.data(), arrays_.x.data(), arrays_.r.data(),
                      arrays_.matrix_norm.data(), arrays_.norms.data(), arrays_.error.data()});
    const std::vector<double> all = arrays_.error.download(count_);
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (of[k] != 0) error[k] = all[k];
    }
  }

  // All systems are swept, since those that wait cost little beside the longest path.
  void step(SystemMask of) override {
    mark(of);
    sweep(arrays_.r.data(), arrays_.step.data());
    add_steps(session_, count_, sizes_.n, arrays_.marked.data(), arrays_.step.data(),
              arrays_.x.data(), arrays_.before.data());
  }
  void take_back(SystemMask of) override {
    mark(of);
    take_steps_back(session_, count_, sizes_.n, arrays_.marked.data(), arrays_.before.data(),
                    arrays_.x.data());
  }

  void read(HostSpan<double> x) override {
    require_same(count_ * Offset{sizes_.n}, static_cast<Offset>(x.entries.size()), "solutions");
    if (x.page_locked) {
      return plan_.columns.scatter(arrays_.x.data(), count_, session_.write_in_place(x));
    }
    plan_.columns.scatter(arrays_.x.data(), count_, arrays_.step.data());
    session_.copy_to_host(x, arrays_.step.data());
  }

 private:
  static Offset entries_of(const HostSpan<const double>& array) {
    return static_cast<Offset>(array.entries.size());
  }

  void write_right_hand_sides(const HostSpan<const double>& b) {
    if (b.page_locked) {
      return plan_.rows.gather(session_.read_in_place(b), count_, arrays_.b.data());
    }
    session_.copy_to_device(arrays_.step.data(), b);
    session_.synchronize();
    plan_.rows.gather(arrays_.step.data(), count_, arrays_.b.data());
  }

  void mark(SystemMask of) {
    require_same(count_, static_cast<Offset>(of.size()), "the marks of systems");
    arrays_.marked.upload(of);
  }

  SystemsProblem<T> elimination_problem(double pivot_threshold) {
    SystemsProblem<T> problem;
    FrontProblem<T>& first = problem.first;
    first.plan = plan_.factorization();
    first.sync = {plan_.tickets.data(), arrays_.words.data(),
                  arrays_.words.data() + plan_.graph.flags};
    first.values = arrays_.values.data();
    first.entry_scale = plan_.entry_scale.data();
    first.factors = arrays_.factors.data();
    first.contributions = arrays_.contributions.data();
    first.counters = arrays_.counters.data();
    first.row_source = arrays_.row_source.data();
    problem.stride = sizes_.stride;
    problem.scaled_norm = arrays_.scaled_norm.data();
    problem.pivot_threshold = pivot_threshold;
    return problem;
  }

  void warn_of_unusable_pivots(StageContext& context) const {
    Offset unusable = 0, systems = 0;
    for (const NumericCounters& counters : counters_) {
      unusable += static_cast<Offset>(counters.unusable_pivots);
      systems += counters.unusable_pivots > 0 ? 1 : 0;
    }
    if (unusable == 0) return;
    context.notes.warnings.push_back(
        {"unusable_pivots", std::to_string(unusable) + " pivots of " + std::to_string(systems) +
                                " systems are zero or not finite; their factors are not usable"});
  }

  // x := col_scale * (U \ (L \ (P (row_scale * b)))), for each system.
  void sweep(const double* b, double* x) {
    arrays_.solve_words.fill_bytes(0);
    unsigned* const ticket = plan_.tickets.data() + plan_.tickets.size() - 1;
    LUFACT_CUDA(cudaMemsetAsync(ticket, 0, sizeof(unsigned), session_.stream()));
    const Offset flags = sizes_.stride.words;
    SystemsSolveProblem<T> problem;
    SolveProblem<T>& first = problem.first;
    first.plan = plan_.solve();
    first.next_ticket = ticket;
    first.lower = {arrays_.solve_words.data(), arrays_.solve_words.data() + plan_.graph.flags};
    first.upper = {first.lower.flag + flags, first.lower.done + flags};
    first.factors = arrays_.factors.data();
    first.solution = arrays_.solution.data();
    first.contributions = arrays_.solve_contributions.data();
    first.row = plan_.tree.row.data();
    first.label = plan_.tree.label.data();
    first.vectors = {b, x, plan_.matrix.row_scale.data(), plan_.matrix.col_scale.data()};
    first.n = sizes_.n;
    first.row_source = arrays_.row_source.data();
    problem.order = order_systems(2 * first.plan.tickets, count_);
    problem.stride = sizes_.stride;
    solve_systems(session_, problem, pivoting_, blocks_.solve);
  }

  DeviceSession& session_;
  const AnalysedPattern pattern_;  // keeps the products
  const Pivoting pivoting_;
  SharedPlan plan_;
  const SystemSizes sizes_;
  const SystemsBlocks blocks_;
  const Index most_;
  SystemArrays<T> arrays_;
  Index count_ = 0;
  std::vector<NumericCounters> counters_;
};

class DeviceSystemsStage final : public SystemsStage {
 public:
  std::string_view numeric() const noexcept override { return "gpu-multifrontal"; }
  std::unique_ptr<SystemsEngine> make(const AnalysedPattern& pattern, Index count,
                                      StageContext& context) const override {
    if (context.options.precision == Precision::float32) {
      return std::make_unique<DeviceSystems<float>>(pattern, count, context);
    }
    return std::make_unique<DeviceSystems<double>>(pattern, count, context);
  }
};

}  // namespace

std::unique_ptr<SystemsStage> make_device_systems() {
  return std::make_unique<DeviceSystemsStage>();
}

}  // namespace lufact::gpu
