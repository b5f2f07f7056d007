// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/permuted_input.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/permute/permute.hpp"
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
  StageContext context{untimed, options, notes, nullptr, nullptr, {}};
  const Matching matching =
      host_stage(catalogue.scaling, stages.scaling, "--scaling").run(a, context);
  const CsrPattern pa = permuted_rows(a, matching.rows);
  Ordering ordering =
      host_stage(catalogue.ordering, ordering_on_host(stages.ordering), "--ordering")
          .run(pa, context);
  if (stages.postorder.value_or(false) && !ordering.postordered) {
    ordering = compose_postorder(pa, ordering, options.threads);
  }
  const auto permuted = build_permuted_matrix(a, matching, ordering);
  return {permuted->pattern, {permuted->values.begin(), permuted->values.end()}};
}

}  // namespace lufact
