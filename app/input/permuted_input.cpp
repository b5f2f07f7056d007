// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/permuted_input.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/run/preprocess.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

template <class S>
const S& host_stage(const std::vector<std::unique_ptr<S>>& stages, const std::string& name,
                    const char* option) {
  for (const auto& stage : stages) {
    if (stage->info().name == name && stage->info().side == Side::host) return *stage;
  }
  throw Error(
      Outcome::unsupported, "no_host_stage",
      fmt::format("{} {} does not run on the host, where {{pattern}} is made", option, name));
}

}  // namespace

CsrMatrix permuted_input(const RunConfig& config, const CsrMatrix& a) {
  const Catalogue catalogue = make_catalogue();
  const StageSelection stages = select_stages(config, Mode{});
  const StageOptions options = stage_options(config);
  const SteadyClock clock;
  PhaseRecorder untimed(clock);
  StageNotes notes;
  StageContext context{.phases = untimed, .options = options, .notes = notes, .check_resident = {}};
  const PreprocessSteps steps{
      .scaling = host_stage(catalogue.scaling, stages.scaling, "--scaling"),
      .ordering =
          host_stage(catalogue.ordering, catalogue.ordering_on_host(stages.ordering), "--ordering"),
      .wants_postorder = [&](const Ordering&, StageContext&) {
        return stages.postorder.value_or(false);
      }};
  const auto permuted = preprocess(a, steps, context);
  return {permuted->pattern, {permuted->values.begin(), permuted->values.end()}};
}

}  // namespace lufact
