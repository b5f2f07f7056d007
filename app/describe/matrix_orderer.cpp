// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/matrix_orderer.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/permute/permute.hpp"
#include "core/run/repetition.hpp"

namespace lufact {
namespace {

// A context for one stage on the host, with a clock.
struct HostContext {
  SteadyClock clock;
  PhaseRecorder phases{clock};
  StageNotes notes;
  StageContext context;
  std::chrono::nanoseconds begin = clock.now();

  explicit HostContext(const StageOptions& options)
      : context{.phases = phases,
                .options = options,
                .notes = notes,
                .check_resident = {},
                .host_may_factor = true} {}
  double seconds() const { return seconds_since(clock, begin); }
};

std::string chosen_ordering(const std::string& name, const std::vector<Choice>& choices) {
  for (const Choice& choice : choices) {
    if (choice.stage == "ordering") return choice.chosen;
  }
  return name;
}

}  // namespace

MatrixOrderer::MatrixOrderer(const Catalogue& catalogue, const CsrMatrix& a,
                             const StageOptions& options)
    : catalogue_(catalogue),
      a_(a),
      options_(options),
      scaling_(resolve_chain(catalogue, catalogue.mode(catalogue.oracle_mode).stages).scaling) {
  HostContext host(options);
  matching_ = scaling_->run(a, host.context);
  matching_s_ = host.seconds();
}

OrderedMatrix MatrixOrderer::order(const std::string& name) const {
  StageSelection stages = catalogue_.mode(catalogue_.oracle_mode).stages;
  stages.ordering = catalogue_.ordering_on_host(name);
  const OrderingStage& stage = *resolve_chain(catalogue_, stages).ordering;
  const Support support = stage.supported({});
  if (!support.ok) throw UsageError(fmt::format("--ordering {}: {}", name, support.reason));
  HostContext host(options_);
  const CsrPattern pa = permuted_rows(a_, matching_.rows);
  Ordering ordering = stage.run(pa, host.context);
  const std::optional<double> most_nnz_l = ordering.most_nnz_l;
  if (!ordering.postordered && !stage.info().given_labels) {
    ordering = compose_postorder(pa, ordering, options_.threads);
  }
  OrderedMatrix ordered{.asked = name,
                        .chosen = chosen_ordering(stage.info().name, host.notes.choices),
                        .seconds = host.seconds(),
                        .matrix = build_permuted_matrix(a_, matching_, ordering),
                        .most_entries = {},
                        .choices = std::move(host.notes.choices)};
  if (most_nnz_l) ordered.most_entries = 2 * *most_nnz_l - a_.pattern.n_rows;
  return ordered;
}

}  // namespace lufact
