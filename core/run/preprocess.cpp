// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/preprocess.hpp"

#include <optional>
#include <utility>

#include "core/order/graph/elimination_tree.hpp"
#include "core/permute/permute.hpp"

namespace lufact {
namespace {

Matching scaled(const CsrMatrix& a, const ScalingStage& stage, StageContext& context) {
  const auto phase = stage.info().side == Side::device ? context.phases.scope("scale")
                                                       : context.phases.host_scope("scale");
  return stage.run(a, context);
}

}  // namespace

std::shared_ptr<PermutedMatrix> preprocess(const CsrMatrix& a, const PreprocessSteps& steps,
                                           StageContext& context) {
  const Matching matching = scaled(a, steps.scaling, context);
  const bool on_device = steps.ordering.info().side == Side::device;
  const auto phase = on_device ? context.phases.scope("order") : context.phases.host_scope("order");
  std::optional<CsrPattern> moved;
  const CsrPattern& pa =
      matching.rows.is_identity() ? a.pattern : moved.emplace(permuted_rows(a, matching.rows));
  Ordering ordering = steps.ordering.run(pa, context);
  if (steps.wants_postorder(ordering, context) && !ordering.postordered) {
    const auto step = context.phases.scope("postorder");
    ordering = compose_postorder(pa, ordering, context.options.threads);
  }
  const auto step = context.phases.scope("permute");
  auto b = lay_out_permuted_matrix(a, matching, std::move(ordering));
  if (!steps.wants_entries || steps.wants_entries(*b)) place_entries(*b);
  return b;
}

}  // namespace lufact
