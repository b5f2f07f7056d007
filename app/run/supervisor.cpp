// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/supervisor.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/config/invocation.hpp"
#include "app/config/machine_json.hpp"
#include "app/process/interrupt.hpp"
#include "app/run/matrix_runs.hpp"
#include "app/run/run_errors.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/ratio_table.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/table.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

std::vector<RunRecord> run_matrix(const std::vector<VariantPlan>& plans, const std::string& path,
                                  const FinishedRun& finished) {
  const MatrixHash hash = hash_matrix(path);
  std::vector<PendingRun> runs;
  for (const VariantPlan& plan : plans) {
    runs.push_back({&plan, begin_record(plan, path, hash.sha256)});
  }
  return run_in_turns(std::move(runs), path, hash.unreadable, finished);
}

}  // namespace

int supervise(const RunConfig& config, const std::vector<std::string>& argv) {
  const InterruptGuard guard;
  const Catalogue catalogue = make_catalogue();
  const Machine machine = query_machine_in_child(config.device);
  const std::vector<VariantPlan> plans = plan_variants(catalogue, config, machine);
  std::unique_ptr<ResultWriter> writer;
  if (config.output) {
    writer = std::make_unique<ResultWriter>(*config.output);
    if (const auto kept = writer->kept_journal()) {
      fmt::print(stderr, "lufact: an unfinished journal was kept as {}\n", kept->string());
    }
  }
  RunErrors errors;
  const FinishedRun journal = [&](const RunRecord& run, double) {
    errors.tell(run);
    if (writer) writer->append(run);
  };
  ResultFile result;
  result.meta = begin_meta(argv, machine);
  result.config = to_json(config);
  for (const std::string& path : config.matrices) {
    if (InterruptGuard::interrupted()) break;
    for (RunRecord& run : run_matrix(plans, path, journal)) result.runs.push_back(std::move(run));
  }
  complete_meta(result.meta, config.device);
  result.comparisons = compare_runs(result.runs, config.seed);
  if (writer) writer->finish(result);
  if (!config.quiet && config.output != "-") {
    fmt::print("{}{}", phase_table(result.runs), ratio_table(result.runs, result.comparisons));
  }
  return InterruptGuard::interrupted() ? exit_status::interrupted : status_of(result.runs);
}

}  // namespace lufact
