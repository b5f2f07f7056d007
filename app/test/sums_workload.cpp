// SPDX-License-Identifier: BSD-3-Clause
#include "app/test/sums_workload.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "app/run/supervisor.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"
#include "core/measure/clock.hpp"
#include "core/run/repetition.hpp"

namespace lufact::test {
namespace {

// The copy that a repetition begins with does not count.
constexpr std::array<std::string_view, 1> counted{"numeric"};
constexpr std::array<std::string_view, 4> modes{"forward", "pairwise", "wrong", "crash"};

std::vector<double> make_numbers(const GeneratorFacts& facts) {
  std::vector<double> numbers(static_cast<std::size_t>(facts.sizes.at(0).second));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = symmetric_interval(hash64(facts.seed, k));
  }
  return numbers;
}

double pairwise_sum(std::span<const double> numbers) {
  if (numbers.size() == 1) return numbers[0];
  const std::size_t half = numbers.size() / 2;
  return pairwise_sum(numbers.first(half)) + pairwise_sum(numbers.subspan(half));
}

class SumsRun final : public MeasuredRun {
 public:
  SumsRun(std::string mode, const std::vector<double>& numbers)
      : mode_(std::move(mode)), numbers_(numbers), phases_(clock_) {}

  Sample run_repetition(int repetition) override {
    if (mode_ == "crash" && repetition == 1) std::abort();
    const auto begin = clock_.now();
    {
      const auto phase = phases_.host_scope("transfer");
      copy_ = numbers_;
    }
    {
      const auto phase = phases_.host_scope("numeric");
      sum_.assign(1, mode_ == "pairwise" ? pairwise_sum(copy_)
                                         : std::accumulate(copy_.begin(), copy_.end(), 0.0));
    }
    if (mode_ == "wrong") sum_[0] += 1;
    return make_sample(repetition, phases_.take(), seconds_since(clock_, begin), counted);
  }

  Sample run_refactorization(int number) override { return run_repetition(number); }

  void describe(RunRecord& record) const override {
    long double exact = 0;
    for (const double number : numbers_) exact += number;
    VerificationRecord& verification = record.verification.emplace();
    verification.method = "extended sum";
    verification.threshold = 1e-12;
    verification.backward_error =
        std::abs(static_cast<double>(sum_.at(0) - exact)) / static_cast<double>(numbers_.size());
    verification.passed = *verification.backward_error <= *verification.threshold;
    verification.message = verification.passed ? "" : "another sum";
  }
  void add_refactorizations(RunRecord&) const override {}
  void release() override { copy_.clear(); }
  std::string phase() const override { return phases_.current_phase(); }
  const std::vector<double>& solution() const noexcept override { return sum_; }

 private:
  const std::string mode_;
  const std::vector<double>& numbers_;
  SteadyClock clock_;
  PhaseRecorder phases_;
  std::vector<double> copy_, sum_;
};

class SumsWorker final : public VariantWorker {
 public:
  explicit SumsWorker(const OpenRequest& request)
      : input_(request.input), mode_(request.variant.at("mode").get<std::string>()) {}

  void open(PhaseRecorder& setup) override {
    opened_ = ++opened_in_process;
    const auto phase = setup.host_scope("read");
    numbers_ = make_numbers(*input_.generator);
    run_.emplace(mode_, numbers_);
  }
  MeasuredRun* run() override { return run_ ? &*run_ : nullptr; }
  void describe_input(RunRecord& record) const override {
    record.input = {input_.name, std::nullopt, hash_of_generator(*input_.generator).sha256,
                    std::nullopt, static_cast<Offset>(numbers_.size())};
  }
  void add_memory(MemoryRecord& memory) const override {
    memory.host_peak_bytes = numbers_.size() * sizeof(double);
    memory.chunks = opened_;
  }
  void judge(RunRecord& record) const override {
    record.outcome = record.verification->passed ? Outcome::ok : Outcome::inaccurate;
    if (record.outcome == Outcome::ok) return;
    record.error = ErrorRecord{"verification_failed", record.verification->message, "verify"};
  }

 private:
  const Input input_;
  const std::string mode_;
  static inline Offset opened_in_process = 0;  // inputs
  Offset opened_ = 0;
  std::vector<double> numbers_;
  std::optional<SumsRun> run_;
};

std::unique_ptr<VariantPlan> plan_mode(const std::string& mode, const Measuring& measuring) {
  if (std::ranges::find(modes, mode) == modes.end()) {
    throw UsageError(fmt::format("--mode '{}' is not known", mode));
  }
  auto plan = std::make_unique<VariantPlan>();
  plan->measuring = measuring;
  plan->serves_many_inputs = mode == "pairwise";
  plan->steps = "add " + mode;
  plan->request = {{"mode", mode}};
  plan->record.workload = "sums";
  plan->record.mode = plan->record.variant = mode;
  plan->record.until = "numeric";
  return plan;
}

struct SumsConfig {
  std::vector<Offset> sizes;
  std::vector<std::string> modes{"forward"};
  std::uint64_t seed = 1;
  Measuring measuring{.repetitions = 5};
  std::string output;
};

SupervisedRuns runs_of(const SumsWorkload& workload, const SumsConfig& config) {
  SupervisedRuns runs{.workload = workload};
  for (const Offset size : config.sizes) {
    runs.inputs.push_back({fmt::format("uniform {}", size), "",
                           GeneratorFacts{"uniform", {{"n", size}}, config.seed}});
  }
  runs.plan = [&config](const Machine&) {
    VariantPlans plans;
    for (const std::string& mode : config.modes) plans.push_back(plan_mode(mode, config.measuring));
    return plans;
  };
  runs.config = {{"sizes", config.sizes}, {"modes", config.modes}, {"seed", config.seed}};
  runs.output = config.output;
  return runs;
}

}  // namespace

WorkloadFacts SumsWorkload::facts() const {
  return {"sums", counted, {}, {}};
}

Command SumsWorkload::add_command(CLI::App& app, std::vector<std::string> argv) const {
  const auto config = std::make_shared<SumsConfig>();
  CLI::App* command = app.add_subcommand("sums", "Add numbers");
  command->add_option("--size", config->sizes)->delimiter(',')->required();
  command->add_option("--mode", config->modes)->delimiter(',');
  command->add_option("--seed", config->seed);
  command->add_option("--repetitions", config->measuring.repetitions);
  command->add_option("--output", config->output)->required();
  return {command, [this, config, argv = std::move(argv)] {
            return supervise(runs_of(*this, *config), argv);
          }};
}

FoundInput SumsWorkload::find_input(const std::string& name, const std::string& file,
                                    const std::vector<std::string>&) const {
  return {{name, file}, "numbers are generated; give 'generate'"};
}

GeneratorFacts SumsWorkload::complete(const GeneratorFacts& facts) const {
  if (facts.kind == "uniform" && facts.sizes.size() == 1 && facts.sizes[0].second > 0) return facts;
  throw UsageError("accepted: kind uniform with one size above 0");
}

Input SumsWorkload::generated_input(const std::string& name, const GeneratorFacts& facts,
                                    const std::string&) const {
  return {name, "", facts};
}

InputHash SumsWorkload::hash(const Input& input) const {
  return hash_of_generator(*input.generator);
}

std::unique_ptr<const VariantPlan> SumsWorkload::plan(const std::string& mode,
                                                      const OptionTexts& options,
                                                      const Machine&) const {
  Measuring measuring;
  const auto repetitions = options.find("repetitions");
  if (repetitions != options.end()) measuring.repetitions = std::stoi(repetitions->second);
  return plan_mode(mode, measuring);
}

RunRecord SumsWorkload::begin_record(const VariantPlan& plan, const Input& input,
                                     const std::string& sha256) const {
  RunRecord record = plan.record;
  record.id = sha256_of_text(plan.record.mode + sha256).substr(0, 16);
  record.input = {input.name, std::nullopt, sha256, std::nullopt, std::nullopt};
  return record;
}

std::unique_ptr<VariantWorker> SumsWorkload::make_worker(const OpenRequest& request) const {
  return std::make_unique<SumsWorker>(request);
}

}  // namespace lufact::test
