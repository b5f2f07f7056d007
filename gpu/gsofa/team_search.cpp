// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "core/distribution/distribution_notes.hpp"
#include "gpu/gsofa/distributed_gsofa.hpp"
#include "gpu/gsofa/gsofa_sizes.hpp"
#include "gpu/gsofa/node_search.hpp"

namespace lufact::gpu {
namespace {

void describe(const NodeSearch& search, const GsofaMachine& machine, const DeviceTeam& team,
              StageContext& context) {
  DistributionNotes distribution = begin_distribution(context.options.gsofa, machine);
  distribution.shared = to_string(team.sharing());
  distribution.transport = std::string(team.transport());
  distribution.peer_access = team.peer_access();
  distribution.exchange_bytes = search.exchanged_bytes();
  distribution.slices = search.slices();
  compare_slices(distribution, true);
  combine_gsofa_notes(search.notes(), context.notes);
  context.notes.distribution = std::move(distribution);
}

}  // namespace

std::shared_ptr<DeviceColumnPattern> search_on_team(const DevicePermutedMatrix& matrix,
                                                    const DeviceTeam& team,
                                                    const GsofaLimits& limits,
                                                    StageContext& context) {
  require_gsofa_rows(matrix.n);
  const GsofaMachine machine{1, team.size()};
  NodeSearch search(matrix.n, {matrix.pattern(), matrix.nnz}, {machine, 0}, team, limits, context);
  search.replicate();
  search.search();
  search.find_supernodes();
  std::shared_ptr<DeviceColumnPattern> pattern;
  {
    const auto phase = context.phases.scope("exchange");
    pattern = assemble_pattern(team.session(0), matrix.n, search.parts());
    team.session(0).synchronize();
  }
  pattern->supernodes = search.take_supernodes();
  describe(search, machine, team, context);
  search.release();
  if (context.check_resident) context.check_resident(pattern->nnz);
  return pattern;
}

}  // namespace lufact::gpu
