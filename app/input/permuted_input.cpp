// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/permuted_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/run/preprocess.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

template <class S>
const S& host_stage(const std::vector<std::unique_ptr<S>>& stages, const std::string& name,
                    const char* option) {
  for (const auto& stage : stages) {
    if (stage->info().name != name) continue;
    if (stage->info().side == Side::host) return *stage;
    throw Error(Outcome::unsupported, "no_host_stage",
                fmt::format("{} {} does not run on the host, where the permuted matrix is made",
                            option, name));
  }
  throw UsageError(
      fmt::format("{} {}: accepted: {}", option, name, fmt::join(names_of(stages), ", ")));
}

}  // namespace

std::shared_ptr<PermutedMatrix> permuted_on_host(const HostPreprocessing& steps,
                                                 const CsrMatrix& a) {
  const Catalogue catalogue = make_catalogue();
  const SteadyClock clock;
  PhaseRecorder untimed(clock);
  StageNotes notes;
  StageContext context{
      .phases = untimed, .options = steps.options, .notes = notes, .check_resident = {}};
  const PreprocessSteps stages{
      .scaling =
          host_stage(catalogue.scaling, catalogue.scaling_on_host(steps.scaling), "--scaling"),
      .ordering =
          host_stage(catalogue.ordering, catalogue.ordering_on_host(steps.ordering), "--ordering"),
      .wants_postorder = [&](const Ordering&, StageContext&) { return steps.postorder; }};
  return preprocess(a, stages, context);
}

CsrMatrix permuted_input(const RunConfig& config, const CsrMatrix& a) {
  const StageSelection stages = select_stages(config, Mode{});
  const auto permuted = permuted_on_host({.scaling = stages.scaling,
                                          .ordering = stages.ordering,
                                          .postorder = stages.postorder.value_or(false),
                                          .options = stage_options(config)},
                                         a);
  return {permuted->pattern, {permuted->values.begin(), permuted->values.end()}};
}

}  // namespace lufact
