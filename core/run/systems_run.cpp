// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/systems_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace lufact {
namespace {

constexpr double refined_to = 0.1;  // of the threshold, as one system is

template <class T>
HostSpan<T> part_of(HostSpan<T> all, Offset first, Offset count) {
  return {all.entries.subspan(at(first), at(count)), all.page_locked};
}

}  // namespace

SystemsRun::SystemsRun(const Catalogue& catalogue, const Chain& chain, const LinearSystem& system,
                       const RunSettings& settings, const RunEnvironment& environment,
                       SystemsInput input)
    : catalogue_(catalogue),
      system_(system),
      settings_(settings),
      systems_(system, std::move(input), settings.options.threads, environment.page_locked_memory),
      analysis_(catalogue, chain, system, settings, environment) {}

Sample SystemsRun::run_repetition(int repetition) {
  release();
  systems_.fill(0);
  return analysis_.run_analysis(repetition, continuation());
}

Sample SystemsRun::run_refactorization(int number) {
  systems_.fill(number + 1);
  return analysis_.run_with_analysis(number, continuation());
}

PipelineRun::Continuation SystemsRun::continuation() {
  return {.run =
              [this](const AnalysedPattern& pattern, StageContext& context) {
                if (engine_ == nullptr) make_engine(pattern, context);
                const Index count = systems_.count();
                members_.assign(at(count), {});
                for (Index first = 0; first < count; first += engine_->most()) {
                  run_chunk(first, std::min(engine_->most(), count - first), context);
                }
              },
          .verify = [this](PhaseRecorder& phases) { verify(phases); }};
}

PhaseRecorder::Scope SystemsRun::phase_of(std::string_view name, StageContext& context) const {
  return on_device_ ? context.phases.scope(name) : context.phases.host_scope(name);
}

void SystemsRun::make_engine(const AnalysedPattern& pattern, StageContext& context) {
  const SystemsStage* stage = catalogue_.find_systems(pattern.numeric);
  if (stage == nullptr) {
    throw Error(Outcome::unsupported, "one_system",
                fmt::format("'{}' takes one system at a time", pattern.numeric));
  }
  on_device_ = pattern.matrix->side() == Side::device;
  const auto phase = phase_of("numeric", context);
  engine_ = stage->make(pattern, systems_.count(), context);
  record_ = {};
  record_.chunk = engine_->most();
  record_.bytes_per_system = engine_->bytes_per_system();
}

void SystemsRun::run_chunk(Index first, Index count, StageContext& context) {
  const Offset n = system_.input.matrix.pattern.n_rows;
  const auto entries = static_cast<Offset>(system_.input.matrix.values.size());
  const auto move = [&](const auto& body) {
    if (!on_device_) return body();
    const auto phase = context.phases.scope("transfer");
    body();
  };
  move([&] {
    engine_->write(
        {.count = count,
         .values = part_of(systems_.values().const_span(), first * entries, count * entries),
         .b = part_of(systems_.b().const_span(), first * n, count * n),
         .matrix_norm = systems_.matrix_norm().subspan(at(first), at(count))});
  });
  {
    const auto phase = phase_of("numeric", context);
    engine_->factor(context);
  }
  for (Index k = 0; k < count; ++k) members_[at(first + k)].pivots = engine_->pivots(k);
  {
    const auto phase = phase_of("solve", context);
    refine(first, count);
  }
  move([&] { engine_->read(part_of(systems_.x().span(), first * n, count * n)); });
}

// Every system takes the steps that it would take alone; the others wait.
void SystemsRun::refine(Index first, Index count) {
  std::vector<double> error(at(count));
  std::vector<std::uint8_t> marked(at(count), 1);
  engine_->solve();
  engine_->residual(marked, error);
  std::vector<RefinementRule> rule;
  for (const double value : error) rule.emplace_back(value, refined_to * settings_.threshold);
  for (;;) {
    for (std::size_t k = 0; k < rule.size(); ++k) marked[k] = rule[k].wants_step() ? 1 : 0;
    if (std::ranges::count(marked, 1) == 0) break;
    std::vector<double> next = error;
    engine_->step(marked);
    engine_->residual(marked, next);
    for (std::size_t k = 0; k < rule.size(); ++k) {
      if (marked[k] != 0) marked[k] = rule[k].keeps_step(next[k]) ? 0 : 1;
    }
    if (std::ranges::count(marked, 1) > 0) engine_->take_back(marked);
  }
  for (std::size_t k = 0; k < rule.size(); ++k) {
    Member& member = members_[at(first) + k];
    member.first_error = error[k];
    member.steps = rule[k].steps();
  }
}

void SystemsRun::verify(PhaseRecorder& phases) {
  const auto x = systems_.x().entries();
  x_.assign(x.begin(), x.end());
  record_.perturbed = std::ranges::count_if(
      members_, [](const Member& member) { return member.pivots.perturbed > 0; });
  if (settings_.verify == VerifyLevel::none) return;
  const auto phase = phases.host_scope("verify");
  record_.failed =
      systems_.judge(settings_.threshold, [this](Index system, VerificationRecord& verdict) {
        verdict.method = "refinement";
        verdict.backward_error_before_refinement = members_[at(system)].first_error;
        verdict.refinement_steps = members_[at(system)].steps;
      });
}

NumericRecord SystemsRun::numeric_record() const {
  NumericRecord numeric;
  numeric.pivoting = to_string(settings_.options.pivoting);
  numeric.pivot_threshold = settings_.options.pivot_threshold;
  Offset exchanged = 0;
  for (const auto& [pivots, error, steps] : members_) {
    numeric.perturbed_pivots += pivots.perturbed;
    numeric.largest_perturbation =
        std::max(numeric.largest_perturbation, pivots.largest_perturbation);
    exchanged += pivots.exchanged;
  }
  if (settings_.options.pivoting != Pivoting::fixed_rows) numeric.exchanged_rows = exchanged;
  return numeric;
}

// The worst solution's verdict, and what validators said of the products of the analysis.
VerificationRecord SystemsRun::with_worst(const VerificationRecord& of_products) const {
  VerificationRecord verdict = systems_.worst().value();
  if (!of_products.method.empty()) verdict.method += "+" + of_products.method;
  if (!of_products.passed) {
    verdict.passed = false;
    verdict.message = of_products.message;
  }
  return verdict;
}

void SystemsRun::describe(RunRecord& record) const {
  analysis_.describe(record);
  record.numeric = numeric_record();
  record.systems = record_;
  systems_.describe(*record.systems);
  if (!systems_.worst()) return;
  record.verification = with_worst(record.verification.value());
}

// The samples behind the repetitions' may be worse, and have pivots of their own.
void SystemsRun::add_refactorizations(RunRecord& record) const {
  if (!record.systems || !systems_.worst() || !record.verification) return;
  record.numeric = numeric_record();
  const VerificationRecord described = *record.verification;
  record.systems->perturbed = record_.perturbed;
  record.systems->failed = std::max(record.systems->failed, record_.failed);
  systems_.describe(*record.systems);
  record.verification = systems_.worst();
  record.verification->method = described.method;
  if (!described.passed) {
    record.verification->passed = false;
    record.verification->message = described.message;
  }
}

void SystemsRun::release() {
  engine_.reset();
  analysis_.release();
}

}  // namespace lufact
