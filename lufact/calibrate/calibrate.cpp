// SPDX-License-Identifier: BSD-3-Clause
#include "lufact/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/choose/front_forecast.hpp"
#include "core/choose/symbolic_forecast.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/generate/generate.hpp"
#include "core/measure/statistics.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/ordering_forecast.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/permute/permute.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/verify/solution.hpp"
#include "gpu/gpu.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

constexpr int repetitions = 3;

struct CalibrationMatrix {
  const char* name;
  GeneratorFacts facts;
  bool few_entries = false;  // of the size at which columns and fronts are weighed
};

// Grids, meshes and circuits of the sizes that choices are about, the small ones first.
std::vector<CalibrationMatrix> calibration_matrices() {
  return {{"circuit 1500", {"circuit", {{"n", 1500}}, 1}, true},
          {"grid 30 x 30", {"grid2d", {{"nx", 30}, {"ny", 30}}, 1}, true},
          {"planar 2500", {"planar", {{"n", 2500}}, 1}, true},
          {"grid 90 x 90", {"grid2d", {{"nx", 90}, {"ny", 90}}, 1}},
          {"circuit 12000", {"circuit", {{"n", 12000}}, 2}},
          {"grid 16 x 16 x 16", {"grid3d", {{"nx", 16}, {"ny", 16}, {"nz", 16}}, 1}},
          {"planar 30000", {"planar", {{"n", 30000}}, 1}},
          {"grid 200 x 200", {"grid2d", {{"nx", 200}, {"ny", 200}}, 1}}};
}

double median(std::vector<double> values) {
  return summarize(values).value().median;
}

// A matrix as the stages behind the ordering see it, with what forecasts ask of it.
struct Problem {
  LinearSystem system;
  CsrPattern pa;
  std::shared_ptr<PermutedMatrix> permuted;
  ProductPtr fronts;
  OrderingCost cost;
  double most_entries = 0;  // of L + U, as minimum degree counts
};

// Seconds of the steps of a repetition, and of a refactorization.
struct StepTimes {
  double symbolic = 0, behind = 0;  // behind the symbolic stage, to the solution, with copies
  double each = 0;
};

double seconds_in(const Sample& sample, std::initializer_list<std::string_view> phases) {
  double sum = 0;
  for (const PhaseTime& phase : sample.phases) {
    if (std::ranges::find(phases, phase.name) != phases.end()) sum += phase.wall_s;
  }
  return sum;
}

template <class Stage>
const Stage* find_stage(const std::vector<std::unique_ptr<Stage>>& stages, std::string_view name) {
  for (const auto& stage : stages) {
    if (stage->info().name == name) return stage.get();
  }
  return nullptr;
}

class Calibrator {
 public:
  Calibrator(const CalibrationOptions& options, const Machine& machine,
             const std::function<void(const std::string&)>& report)
      : options_(options), machine_(machine), report_(report), catalogue_(make_catalogue()) {
    settings_.verify = VerifyLevel::none;
    settings_.options.threads = options.threads;
    environment_.make_vectors = [this](Side side) {
      return side == Side::device ? gpu::make_vector_backend(*session_)
                                  : make_host_vector_backend(options_.threads);
    };
  }

  Calibration run() && {
    const auto begin = clock_.now();
    open_device();
    for (const CalibrationMatrix& matrix : calibration_matrices()) {
      if (seconds_since(clock_, begin) > options_.most_seconds) {
        skip(matrix.name, "the time was over");
        continue;
      }
      report_(matrix.name);
      measure(matrix);
    }
    skip_what_was_not_measured();
    result_.rates = fit_rates(shipped_rates().front(), result_.measurements);
    result_.elapsed_s = seconds_since(clock_, begin);
    return std::move(result_);
  }

 private:
  void open_device() {
    const Support support =
        resolve_chain(catalogue_, device_fronts()).supported(machine_, Until::solve);
    if (!support.ok) {
      device_reason_ = support.reason;
      return;
    }
    session_ = gpu::open_session({options_.device, std::nullopt});
    environment_.device = session_.get();
    environment_.probe = &gpu::probe(*session_);
    environment_.device_room = [this] { return gpu::free_bytes(*session_); };
    environment_.page_locked_memory = [this](std::size_t bytes) {
      return gpu::page_locked_memory(options_.device, bytes);
    };
  }

  void skip(const std::string& step, const std::string& reason) {
    result_.skipped.push_back({step, reason});
  }

  void skip_what_was_not_measured() {
    std::set<std::string> measured;
    for (const RateMeasurement& one : result_.measurements) measured.insert(one.step);
    for (const std::string& step : calibrated_steps()) {
      if (measured.contains(step)) continue;
      const bool on_device = step.starts_with("gpu-");
      skip(step, on_device && !device_reason_.empty() ? device_reason_ : "nothing came of it");
    }
  }

  void add(const char* step, const CalibrationMatrix& matrix, double forecast_s,
           double measured_s) {
    if (!(measured_s > 0)) return;  // a difference of times that noise has turned round
    result_.measurements.push_back({step, matrix.name, forecast_s, measured_s});
  }

  void measure(const CalibrationMatrix& matrix) {
    const Problem problem = prepare(matrix);
    const StepTimes on_host = time_chain(host_fronts(), problem);
    std::optional<StepTimes> on_device;
    if (session_) on_device = time_chain(device_fronts(), problem);
    if (matrix.few_entries) {
      measure_few_entries(matrix, problem, on_host, on_device);
      return;
    }
    measure_orderings(matrix, problem);
    measure_host(matrix, problem, on_host);
    if (on_device) measure_device(matrix, problem, *on_device);
  }

  Problem prepare(const CalibrationMatrix& matrix) {
    Problem problem;
    CsrMatrix& a = problem.system.input.matrix;
    a = generate_matrix(matrix.facts);
    problem.system.x_true = make_x_true(a.pattern.n_rows, 1, 1);
    problem.system.b = multiply(a, problem.system.x_true, 1);
    problem.system.matrix_norm = matrix_norm(a);
    PhaseRecorder untimed(clock_);
    StageNotes notes;
    StageContext context{
        .phases = untimed, .options = settings_.options, .notes = notes, .check_resident = {}};
    const Matching matching = find_stage(catalogue_.scaling, "mc64")->run(a, context);
    problem.pa = permuted_rows(a, matching.rows);
    AmdOrder order = amd_ordering_with_cost(problem.pa);
    problem.most_entries = 2 * order.most.nnz_l - a.pattern.n_rows;
    problem.cost = ordering_cost(problem.pa, order.perm, options_.threads,
                                 settings_.options.rates.column_path);
    const Ordering ordering =
        compose_postorder(problem.pa, {.perm = std::move(order.perm)}, options_.threads);
    problem.permuted = build_permuted_matrix(a, matching, ordering);
    problem.fronts = find_stage(catalogue_.symbolic, "cpu-fronts")->run(problem.permuted, context);
    return problem;
  }

  static StageSelection fronts(const char* symbolic, const char* levelize, const char* numeric) {
    StageSelection stages;
    stages.ordering = "amd";
    stages.symbolic = symbolic;
    stages.levelize = levelize;
    stages.numeric = numeric;
    stages.postorder = true;
    return stages;
  }
  static StageSelection host_fronts() {
    return fronts("cpu-fronts", "subtrees", "cpu-multifrontal");
  }
  static StageSelection device_fronts() {
    return fronts("gpu-fronts", "task-graph", "gpu-multifrontal");
  }

  // Medians of a few repetitions and refactorizations behind one of each that warms up.
  StepTimes time_chain(const StageSelection& stages, const Problem& problem) {
    const Chain chain = resolve_chain(catalogue_, stages);
    PipelineRun run(catalogue_, chain, problem.system, settings_, environment_);
    std::vector<double> symbolic, behind, each;
    run.run_repetition(-1);
    for (int k = 0; k < repetitions; ++k) {
      const Sample sample = run.run_repetition(k);
      symbolic.push_back(seconds_in(sample, {"symbolic"}));
      behind.push_back(seconds_in(sample, {"transfer", "levelize", "numeric", "solve"}));
    }
    run.run_refactorization(0);
    for (int k = 0; k < repetitions; ++k) {
      each.push_back(run.run_refactorization(k + 1).total_s);
    }
    return {median(symbolic), median(behind), median(each)};
  }

  double time_ordering(const OrderingStage& stage, const CsrPattern& pa) {
    std::vector<double> seconds;
    for (int k = 0; k <= repetitions; ++k) {
      PhaseRecorder untimed(clock_);
      StageNotes notes;
      StageContext context{
          .phases = untimed, .options = settings_.options, .notes = notes, .check_resident = {}};
      const auto begin = clock_.now();
      stage.run(pa, context);
      if (k > 0) seconds.push_back(seconds_since(clock_, begin));
    }
    return median(seconds);
  }

  void measure_orderings(const CalibrationMatrix& matrix, const Problem& problem) {
    const OrderingRates& rate = settings_.options.rates.ordering;
    const Offset nnz = problem.pa.nnz();
    for (const auto& [name, forecast_s] :
         {std::pair{"amd", forecast_amd_seconds(nnz, rate)},
          {"metis", forecast_metis_seconds(nnz, rate)},
          {"nd-parallel", forecast_dissection_seconds(nnz, options_.threads, rate)}}) {
      const OrderingStage* stage = find_stage(catalogue_.ordering, name);
      if (stage == nullptr || !stage->supported(machine_).ok) continue;
      add(name, matrix, forecast_s, time_ordering(*stage, problem.pa));
    }
  }

  void measure_host(const CalibrationMatrix& matrix, const Problem& problem,
                    const StepTimes& times) {
    const StageOptions& options = settings_.options;
    const CsrPattern& b = problem.permuted->pattern;
    const FrontForecast forecast =
        forecast_on_cpu(product_cast<FrontTree>(*problem.fronts), options);
    add("cpu-fronts", matrix,
        forecast_cpu_fronts(b.n_rows, b.nnz(), options.threads, options.rates), times.symbolic);
    add("cpu-multifrontal once", matrix, forecast.once, times.behind - times.each);
    add("cpu-multifrontal", matrix, forecast.each, times.each);
    add("cpu-multifrontal by order", matrix,
        forecast_host_seconds(problem.cost, b.nnz(), options.threads, options.rates), times.each);
  }

  void measure_device(const CalibrationMatrix& matrix, const Problem& problem,
                      const StepTimes& times) {
    const StageOptions& options = settings_.options;
    const CsrPattern& b = problem.permuted->pattern;
    const FrontForecast forecast =
        forecast_on_gpu(product_cast<FrontTree>(*problem.fronts), options);
    add("gpu-fronts", matrix,
        forecast_gpu_fronts(b.n_rows, b.nnz(), options.threads, options.rates), times.symbolic);
    add("gpu-multifrontal once", matrix, forecast.once, times.behind - times.each);
    add("gpu-multifrontal", matrix, forecast.each, times.each);
    add("gpu-multifrontal by order", matrix, forecast_seconds(problem.cost, options.rates),
        times.each);
  }

  // Fronts where they are the quicker.
  void measure_few_entries(const CalibrationMatrix& matrix, const Problem& problem,
                           const StepTimes& on_host, const std::optional<StepTimes>& on_device) {
    const FewEntriesRates& rate = settings_.options.rates.few_entries;
    StageSelection columns = catalogue_.mode(catalogue_.oracle_mode).stages;
    const StepTimes of_columns = time_chain(columns, problem);
    add("columns", matrix,
        problem.most_entries *
            (rate.column_entry_once_s + rate.column_entry_each_s + rate.column_entry_solve_s),
        of_columns.symbolic + of_columns.behind);
    double fronts_s = on_host.symbolic + on_host.behind;
    if (on_device) fronts_s = std::min(fronts_s, on_device->symbolic + on_device->behind);
    add("small fronts", matrix, rate.fronts_once_s + rate.fronts_each_s, fronts_s);
  }

  const CalibrationOptions& options_;
  const Machine& machine_;
  const std::function<void(const std::string&)>& report_;
  Catalogue catalogue_;
  SteadyClock clock_;
  std::shared_ptr<DeviceSession> session_;
  std::string device_reason_;
  RunSettings settings_;
  RunEnvironment environment_{clock_, nullptr, nullptr, nullptr, {}, {}};
  Calibration result_;
};

}  // namespace

Calibration calibrate(const CalibrationOptions& options, const Machine& machine,
                      const std::function<void(const std::string&)>& report) {
  return Calibrator(options, machine, report).run();
}

}  // namespace lufact
