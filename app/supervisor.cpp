// SPDX-License-Identifier: BSD-3-Clause
#include "app/supervisor.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "app/catalogue.hpp"
#include "app/machine_json.hpp"
#include "app/variant_process.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/build_info.hpp"
#include "core/report/comparisons.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_writer.hpp"
#include "core/report/table.hpp"

namespace lufact {
namespace {

volatile int interrupted = 0;

void note_interrupt(int) {
  interrupted = 1;
}

// Restores the handler on the way out, so that tests may call supervise() more than once.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_int_ {
  }, before_term_{};
};

std::string file_stem(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* ending : {".tar.gz", ".tgz", ".gz", ".xz", ".mtx"}) {
    if (name.size() > std::string(ending).size() && name.ends_with(ending)) {
      name.resize(name.size() - std::string(ending).size());
    }
  }
  return name;
}

// A variant as resolved before any matrix is read.
struct Plan {
  std::string mode;
  Chain chain;
  PipelineRecord pipeline;
  Support support;
};

std::vector<Plan> make_plans(const Catalogue& catalogue, const RunConfig& config,
                             const Machine& machine) {
  std::vector<Plan> plans;
  for (const std::string& wanted : config.modes) {
    Plan plan;
    plan.mode = wanted;
    std::vector<Choice> choices;
    if (wanted == "auto") {
      const AutoMode chosen = choose_mode(catalogue, config, machine);
      plan.mode = chosen.name;
      choices.push_back(chosen.choice);
    }
    plan.chain = resolve_chain(catalogue, select_stages(config, catalogue.mode(plan.mode)));
    plan.pipeline = plan.chain.record(config.until, config.precision);
    plan.pipeline.choices = std::move(choices);
    plan.support = plan.chain.supported(machine, config.until);
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::string run_id(const RunConfig& config, const Plan& plan, const std::string& matrix_sha) {
  nlohmann::ordered_json identity;
  identity["matrix"] = matrix_sha;
  identity["pipeline"] = {
      plan.pipeline.scaling.value_or(""),    plan.pipeline.ordering.value_or(""),
      plan.pipeline.symbolic.value_or(""),   plan.pipeline.levelize.value_or(""),
      plan.pipeline.dependency.value_or(""), plan.pipeline.numeric.value_or(""),
      plan.pipeline.solve.value_or(""),      plan.pipeline.postorder.value_or(false)};
  identity["options"] = identity_options(config);
  identity["git_sha"] = build_info().git_sha;
  return sha256_of_text(identity.dump()).substr(0, 16);
}

RunRecord skeleton(const RunConfig& config, const Plan& plan, const std::string& path,
                   const std::string& matrix_sha) {
  RunRecord record;
  record.id = run_id(config, plan, matrix_sha);
  record.mode = plan.mode;
  record.until = std::string(to_string(config.until));
  record.matrix.path = path;
  record.matrix.name = file_stem(path);
  record.matrix.sha256 = matrix_sha;
  record.matrix.symmetry = config.read.symmetry;
  record.matrix.explicit_zeros = config.read.explicit_zeros;
  record.pipeline = plan.pipeline;
  return record;
}

using Variants = std::vector<std::unique_ptr<VariantProcess>>;

void open_variants(const std::vector<Plan>& plans, Variants& variants, const std::string& path) {
  for (std::size_t k = 0; k < plans.size() && interrupted == 0; ++k) {
    if (!plans[k].support.ok) {
      variants[k]->fail(Outcome::unsupported, "no_device", plans[k].support.reason, "");
    } else {
      variants[k]->open(path);
    }
  }
}

// A B A B: every variant takes its turn in every repetition.
void take_turns(const RunConfig& config, Variants& variants) {
  for (int repetition = -config.warmup; repetition < config.repetitions; ++repetition) {
    for (const auto& variant : variants) {
      if (variant->running()) variant->sample(repetition, repetition + 1 == config.repetitions);
    }
  }
}

void run_matrix(const RunConfig& config, const std::vector<Plan>& plans, const std::string& path,
                ResultFile& result, ResultWriter* writer) {
  std::string sha, unreadable;
  try {
    sha = sha256_of_file(path);
  } catch (const Error& error) {
    unreadable = error.what();
  }
  Variants variants;
  for (const Plan& plan : plans) {
    variants.push_back(
        std::make_unique<VariantProcess>(config, skeleton(config, plan, path, sha), &interrupted));
    if (!unreadable.empty()) {
      variants.back()->fail(Outcome::error, "bad_matrix", unreadable, "read");
    }
  }
  if (unreadable.empty()) {
    open_variants(plans, variants, path);
    take_turns(config, variants);
  }
  for (const auto& variant : variants) {
    const bool never_started = interrupted != 0 && variant->record().samples.empty() &&
                               !variant->record().error.has_value();
    if (never_started) continue;
    result.runs.push_back(variant->record());
    if (writer != nullptr) writer->append(variant->record());
  }
}

Meta make_meta(const std::vector<std::string>& argv, const Machine& machine) {
  Meta meta;
  meta.argv = argv;
  meta.started_at = utc_timestamp(std::chrono::system_clock::now());
  meta.host = machine.host;
  if (machine.device) {
    meta.device = DeviceMeta{*machine.device, machine.device->clocks, {}, std::nullopt};
  }
  return meta;
}

// Clocks and throttling once the runs are over.
void complete_meta(Meta& meta, int device) {
  if (!meta.device) return;
  const Machine after = query_machine_in_child(device);
  if (!after.device) return;
  meta.device->clocks_after = after.device->clocks;
  meta.device->throttle_reasons = after.device->throttle_reasons;
}

int status_of(const ResultFile& result) {
  const auto bad_input = [](const RunRecord& run) {
    return run.error && run.error->code == "bad_matrix";
  };
  if (!result.runs.empty() && std::all_of(result.runs.begin(), result.runs.end(), bad_input)) {
    return exit_status::no_input;
  }
  const bool all_ok = std::all_of(result.runs.begin(), result.runs.end(),
                                  [](const RunRecord& run) { return run.outcome == Outcome::ok; });
  return all_ok ? exit_status::ok : exit_status::not_ok;
}

}  // namespace

AutoMode choose_mode(const Catalogue& catalogue, const RunConfig& config, const Machine& machine) {
  AutoMode result;
  result.choice.stage = "mode";
  for (const Mode& mode : catalogue.modes) {
    result.choice.candidates.push_back(mode.name);
    if (!result.name.empty()) continue;
    const Chain chain = resolve_chain(catalogue, select_stages(config, mode));
    const Support support = chain.supported(machine, config.until);
    if (support.ok) {
      result.name = mode.name;
      result.choice.reason += "the first mode that this machine can run";
    } else {
      result.choice.reason += fmt::format("not {}: {}; ", mode.name, support.reason);
    }
  }
  if (result.name.empty()) throw UsageError("no mode can run here: " + result.choice.reason);
  result.choice.chosen = result.name;
  return result;
}

int supervise(const RunConfig& config, const std::vector<std::string>& argv) {
  const InterruptGuard guard;
  interrupted = 0;
  const Catalogue catalogue = make_catalogue();
  const Machine machine = query_machine_in_child(config.device);
  const std::vector<Plan> plans = make_plans(catalogue, config, machine);
  std::unique_ptr<ResultWriter> writer;
  if (config.output) {
    writer = std::make_unique<ResultWriter>(*config.output);
    if (const auto kept = writer->kept_journal()) {
      fmt::print(stderr, "lufact: an unfinished journal was kept as {}\n", kept->string());
    }
  }
  ResultFile result;
  result.meta = make_meta(argv, machine);
  result.config = to_json(config);
  for (const std::string& path : config.matrices) {
    if (interrupted != 0) break;
    run_matrix(config, plans, path, result, writer.get());
  }
  complete_meta(result.meta, config.device);
  result.comparisons = compare_runs(result.runs, config.seed);
  if (writer) writer->finish(result);
  if (!config.quiet && config.output != "-") {
    fmt::print("{}", phase_table(result.runs));
  }
  return interrupted != 0 ? exit_status::interrupted : status_of(result);
}

}  // namespace lufact
