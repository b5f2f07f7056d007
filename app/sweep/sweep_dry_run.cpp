// SPDX-License-Identifier: BSD-3-Clause
#include "app/sweep/sweep_dry_run.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

#include "app/config/invocation.hpp"
#include "app/config/memory_forecast.hpp"
#include "app/sweep/sweep_progress.hpp"
#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/result_writer.hpp"

namespace lufact {
namespace {

// Inputs and factor counts of one matrix, made once for all runs that agree on them.
class Forecaster {
 public:
  Forecaster(const SweepPlan& sweep, const PlannedMatrix& planned)
      : sweep_(sweep), planned_(planned) {}

  // What a run must hold and whether it can, in words.
  std::string memory_of(const PlannedRun& run) {
    try {
      return describe(run);
    } catch (const Error& error) {
      return fmt::format("no prediction: {}", error.what());
    }
  }

 private:
  std::string describe(const PlannedRun& run) {
    const RunConfig& config = run.plan.config;
    const InputMatrix& input = input_for(config);
    const Offset nnz_lu = config.until >= Until::symbolic ? counts_for(run, input).nnz_lu : 0;
    const ForecastTerms terms{config.until,
                              config.rhs,
                              config.precision,
                              config.effective_expect_refactorizations(),
                              config.device_memory_limit,
                              config.host_memory_limit};
    const ChainForecast forecast =
        forecast_chain(run.plan.chain, input.facts, nnz_lu, terms, sweep_.machine);
    return fmt::format("n {}, nnz(L+U) {}, {} resident{}: {}", input.facts.n, nnz_lu,
                       format_byte_size(forecast.resident_bytes), work_text(forecast.symbolic_work),
                       forecast.reason);
  }

  // A generated matrix is not written.
  const InputMatrix& input_for(const RunConfig& config) {
    const ReadOptions options = read_options(config);
    const auto key = std::tuple(options.symmetry, options.explicit_zeros, options.zero_diagonals);
    auto known = inputs_.find(key);
    if (known == inputs_.end()) known = inputs_.emplace(key, read_input(options)).first;
    return known->second;
  }

  InputMatrix read_input(const ReadOptions& options) const {
    if (!planned_.matrix->generator) return read_matrix(planned_.path, options);
    return as_if_read(generate_matrix(*planned_.matrix->generator), options);
  }

  const FactorCounts& counts_for(const PlannedRun& run, const InputMatrix& input) {
    const RunConfig& config = run.plan.config;
    const auto stages = select_stages(config, sweep_.catalogue.mode(run.plan.mode));
    const auto key =
        std::tuple(&input, stages.scaling, stages.ordering, config.permutation_file.value_or(""));
    auto known = counts_.find(key);
    if (known == counts_.end()) {
      const auto counts =
          count_factors(sweep_.catalogue, stages, config.permutation_file.value_or(""), input);
      known = counts_.emplace(key, counts).first;
    }
    return known->second;
  }

  const SweepPlan& sweep_;
  const PlannedMatrix& planned_;
  std::map<std::tuple<SymmetryMode, ExplicitZeros, std::optional<double>>, InputMatrix> inputs_;
  // A postorder changes no count.
  std::map<std::tuple<const InputMatrix*, std::string, std::string, std::string>, FactorCounts>
      counts_;
};

using KnownTimes = std::map<std::pair<std::string, std::string>, double>;

KnownTimes known_times(const std::string& output) {
  KnownTimes times;
  for (const RunRecord& run : read_earlier_runs(output)) {
    if (run.sweep && run.sweep->elapsed_s) {
      times.emplace(std::pair(run.sweep->matrix, run.sweep->variant), *run.sweep->elapsed_s);
    }
  }
  return times;
}

std::string origin_of(const PlannedMatrix& planned) {
  const SweepMatrix& matrix = *planned.matrix;
  std::string text = planned.path;
  if (!planned.missing.empty()) {
    text = "missing: " + planned.missing;
  } else if (matrix.generator) {
    text = "generated: " + matrix.generator->kind;
    for (const auto& [name, value] : matrix.generator->sizes) {
      text += fmt::format(" --{} {}", name, value);
    }
    text += fmt::format(" --seed {}", matrix.generator->seed);
  }
  if (matrix.stand_in_for) text += ", stands in for " + *matrix.stand_in_for;
  return text;
}

std::string stages_of(const PlannedRun& run) {
  const PipelineRecord& pipeline = run.plan.pipeline;
  std::string text = pipeline.peer.value_or("");
  for (const auto& name : {pipeline.scaling, pipeline.ordering, pipeline.symbolic,
                           pipeline.levelize, pipeline.numeric, pipeline.solve}) {
    if (name) text += (text.empty() ? "" : " -> ") + *name;
  }
  return text;
}

std::string options_of(const PlannedRun& run) {
  std::string text;
  for (const auto& [key, value] : run.options) {
    text += value == "true" ? " --" + key : fmt::format(" --{} {}", key, value);
  }
  return text;
}

void print_matrix(const SweepRequest& request, const SweepPlan& sweep, const PlannedMatrix& planned,
                  const KnownTimes& times) {
  fmt::print("\n{} ({})\n", planned.matrix->name, origin_of(planned));
  Forecaster forecaster(sweep, planned);
  for (const PlannedRun& run : planned.runs) {
    fmt::print("  {:<16} {}{}\n", run.variant->name, stages_of(run), options_of(run));
    if (request.forecast && planned.missing.empty() && run.plan.mode != "peer") {
      fmt::print("  {:<16} {}\n", "", forecaster.memory_of(run));
    }
    const auto time = times.find({planned.matrix->name, run.variant->name});
    if (time != times.end()) {
      fmt::print("  {:<16} took {} before\n", "", format_duration(time->second));
    }
  }
}

}  // namespace

int print_dry_run(const SweepRequest& request) {
  const SweepPlan sweep = plan_sweep(request);
  const std::string output = output_of_sweep(request, sweep.config);
  const KnownTimes times = known_times(output);
  fmt::print("{}: {}\n{} matrices, {} variants, {} runs into {}\n", sweep.config.name,
             sweep.config.purpose, sweep.matrices.size(), sweep.config.variants.size(),
             sweep.run_count(), output);
  double seconds = 0;
  std::size_t known = 0;
  for (const PlannedMatrix& planned : sweep.matrices) {
    print_matrix(request, sweep, planned, times);
    for (const PlannedRun& run : planned.runs) {
      const auto time = times.find({planned.matrix->name, run.variant->name});
      if (time == times.end()) continue;
      seconds += time->second;
      ++known;
    }
  }
  fmt::print("\n{} of {} runs have been measured before and took {} together\n", known,
             sweep.run_count(), format_duration(seconds));
  return exit_status::ok;
}

}  // namespace lufact
