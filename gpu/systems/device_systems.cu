// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/systems/system_chunks.hpp"
#include "gpu/systems/device_systems.hpp"
#include "gpu/systems/system_arrays.hpp"
#include "gpu/systems/system_values.hpp"
#include "gpu/systems/systems_kernels.hpp"

namespace lufact::gpu {
namespace {

void require_same(Offset expected, Offset given, const char* what) {
  if (expected == given) return;
  throw std::logic_error(std::string(what) + ": " + std::to_string(given) + ", not " +
                         std::to_string(expected));
}

// The systems of a chunk: as many as fit into what is left of the budget, or 0. The last group of
// lanes may have but one system.
template <class T>
Index systems_that_fit(DeviceSession& session, const SystemSizes& sizes, const SharedPlan& plan,
                       const SystemsBlocks& blocks, Index count) {
  const std::uint64_t available = session.ledger().available();
  const std::uint64_t unused = (lanes - 1) * sizes.lane_bytes<T>();
  return systems_at_a_time(count, {.bytes = available - std::min(available, unused),
                                   .per_system = sizes.bytes<T>(),
                                   .tickets = plan.most_tickets(),
                                   .spare_tickets = std::max(blocks.factorization, blocks.solve)});
}

// Throws where there is no room for one.
template <class T>
Index systems_in_memory(DeviceSession& session, const SystemSizes& sizes, const SharedPlan& plan,
                        const SystemsBlocks& blocks, Index count) {
  session.ledger().require_resident(sizes.bytes<T>(), "one of several systems with one pattern");
  const Index most = systems_that_fit<T>(session, sizes, plan, blocks, count);
  if (most > 0) return most;
  throw Error(Outcome::unsupported, "index_overflow", "one system has too many tasks");
}

void note_lanes(StageContext& context, bool taken, std::string reason) {
  context.notes.choices.push_back({.stage = "numeric",
                                   .chosen = taken ? "lanes" : "tiles",
                                   .candidates = {"lanes", "tiles"},
                                   .reason = std::move(reason)});
}

// Small fronts go by lanes where that is possible, as many systems as lanes are in memory, and
// there is work for lanes. The bits are the same either way.
template <class T>
std::unique_ptr<SharedPlan> choose_plan(const AnalysedPattern& pattern, DeviceSession& session,
                                        const SystemsBlocks& blocks, Index count,
                                        Offset least_fronts, StageContext& context) {
  const auto& graph = product_cast<DeviceTaskGraph>(*pattern.schedule);
  require_blocks_apart(graph.host_shape);
  const Offset fronts = count * Offset{graph.fronts};
  std::string reason;
  if (count < lanes) {
    reason = std::to_string(count) + " systems are less than the lanes of a warp";
  } else if (fronts < least_fronts) {
    reason = std::to_string(fronts) + " fronts of all systems are less than " +
             std::to_string(least_fronts);
  } else if (context.options.pivoting != Pivoting::fixed_rows) {
    reason = "rows are exchanged, which lanes do not";
  } else {
    auto plan = SharedPlan::with_lanes(pattern, session);
    const SystemSizes sizes(pattern, *plan, context.options.pivoting);
    if (!plan->lanes) {
      reason = "no front is small enough";
    } else if (systems_that_fit<T>(session, sizes, *plan, blocks, count) < lanes) {
      reason = "memory holds less systems than a warp has lanes";
    } else {
      note_lanes(context, true,
                 std::to_string(plan->lanes->fronts()) + " of " +
                     std::to_string(plan->graph.fronts) + " fronts by lanes");
      return plan;
    }
  }
  note_lanes(context, false, std::move(reason));
  return std::make_unique<SharedPlan>(pattern, session);
}

// T is float or double.
template <class T>
class DeviceSystems final : public SystemsEngine {
 public:
  DeviceSystems(const AnalysedPattern& pattern, Index count, Offset least_fronts_for_lanes,
                StageContext& context)
      : session_(*context.device),
        pattern_(pattern),
        pivoting_(context.options.pivoting),
        blocks_(resident_system_blocks<T>(session_, pivoting_)),
        chosen_plan_(
            choose_plan<T>(pattern_, session_, blocks_, count, least_fronts_for_lanes, context)),
        plan_(*chosen_plan_),
        sizes_(pattern_, plan_, pivoting_),
        most_(systems_in_memory<T>(session_, sizes_, plan_, blocks_, count)),
        arrays_(session_, sizes_, most_) {
    if (plan_.lanes) lanes_.emplace(session_, *plan_.lanes, most_);
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

  // A launch for each part of the graph, and one by lanes before it. One copy back.
  void factor(StageContext& context) override {
    arrays_.words.fill_bytes(0);
    arrays_.counters.fill_bytes(0);
    plan_.tickets.fill_bytes(0);
    SystemsProblem<T> problem = elimination_problem(context.options.pivot_threshold);
    const Index* const ticket = problem.first.plan.ticket;
    if (lanes_) lanes_->write_values(entries_by_lanes(), count_);
    Index begin = 0;
    std::size_t part = 0;
    for (const Index end : plan_.graph.part_end) {
      // Behind tiles of the part before, whose places this part has again, tiles have to wait.
      const bool beside_lanes = lanes_ && lanes_->eliminate(problem_by_lanes(problem), part++);
      problem.first.plan.ticket = ticket + begin;
      problem.first.plan.tickets = end - begin;
      problem.order = order_systems(end - begin, count_);
      eliminate_systems(session_, problem, pivoting_, blocks_.factorization, beside_lanes);
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

  EntriesOfSystems<T> entries_by_lanes() const {
    return {plan_.lanes->entries(), plan_.graph.entry_source.data(), plan_.entry_scale.data(),
            arrays_.values.data(), sizes_.stride.values};
  }
  // What lanes have in common with the tiles.
  LaneProblem<T> problem_by_lanes(const SystemsProblem<T>& tiles) const {
    LaneProblem<T> problem;
    problem.systems = count_;
    problem.system_stride = tiles.stride;
    problem.system_contributions = tiles.first.contributions;
    problem.system_done = tiles.first.sync.done;
    problem.counters = tiles.first.counters;
    problem.scaled_norm = tiles.scaled_norm;
    problem.pivot_threshold = tiles.pivot_threshold;
    return problem;
  }
  typename DeviceLanes<T>::Sweep sweep_by_lanes(const SolveProblem<T>& tiles) const {
    return {count_,         tiles.vectors,   sizes_.stride, tiles.contributions,
            tiles.solution, tiles.lower.done};
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
    if (lanes_) lanes_->forward(sweep_by_lanes(first));
    solve_systems(session_, problem, pivoting_, blocks_.solve, lanes_.has_value());
    if (lanes_) lanes_->backward(sweep_by_lanes(first));
  }

  DeviceSession& session_;
  const AnalysedPattern pattern_;  // keeps the products
  const Pivoting pivoting_;
  const SystemsBlocks blocks_;
  const std::unique_ptr<SharedPlan> chosen_plan_;
  SharedPlan& plan_;
  const SystemSizes sizes_;
  const Index most_;
  SystemArrays<T> arrays_;
  std::optional<DeviceLanes<T>> lanes_;
  Index count_ = 0;
  std::vector<NumericCounters> counters_;
};

class DeviceSystemsStage final : public SystemsStage {
 public:
  explicit DeviceSystemsStage(Offset least_fronts_for_lanes)
      : least_fronts_for_lanes_(least_fronts_for_lanes) {}

  std::string_view numeric() const noexcept override { return "gpu-multifrontal"; }
  std::unique_ptr<SystemsEngine> make(const AnalysedPattern& pattern, Index count,
                                      StageContext& context) const override {
    if (context.options.precision == Precision::float32) {
      return std::make_unique<DeviceSystems<float>>(pattern, count, least_fronts_for_lanes_,
                                                    context);
    }
    return std::make_unique<DeviceSystems<double>>(pattern, count, least_fronts_for_lanes_,
                                                   context);
  }

 private:
  Offset least_fronts_for_lanes_;
};

}  // namespace

std::unique_ptr<SystemsStage> make_device_systems(Offset least_fronts_for_lanes) {
  return std::make_unique<DeviceSystemsStage>(least_fronts_for_lanes);
}

}  // namespace lufact::gpu
