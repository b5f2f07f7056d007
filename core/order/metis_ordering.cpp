// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/metis_ordering.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace lufact {

bool metis_available() noexcept {
  return true;
}

Permutation metis_ordering(const CsrPattern& a) {
  const CsrPattern graph = symmetric_graph(a.view());
  if (graph.nnz() == 0) return Permutation::identity(a.n_rows);
  if (graph.nnz() > std::numeric_limits<idx_t>::max()) {
    throw Error(Outcome::unsupported, "metis_overflow",
                fmt::format("A + A' has {} off-diagonal entries, more than this build of METIS can "
                            "count ({} bits); use another ordering",
                            graph.nnz(), 8 * sizeof(idx_t)));
  }
  std::vector<idx_t> ptr(graph.row_ptr.begin(), graph.row_ptr.end());
  std::vector<idx_t> idx(graph.col_idx.begin(), graph.col_idx.end());
  std::vector<idx_t> perm(static_cast<std::size_t>(a.n_rows)), inverse(perm.size());
  idx_t n = a.n_rows;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  const int status =
      METIS_NodeND(&n, ptr.data(), idx.data(), nullptr, options, perm.data(), inverse.data());
  if (status == METIS_ERROR_MEMORY) {
    throw Error(Outcome::oom_host, "ordering_memory",
                fmt::format("METIS ran out of memory (n = {}, {} edges)", a.n_rows, graph.nnz()));
  }
  if (status != METIS_OK) {
    throw Error(Outcome::error, "metis_failed", fmt::format("METIS answered status {}", status));
  }
  return Permutation::from_old_of_new(std::vector<Index>(perm.begin(), perm.end()));
}

}  // namespace lufact
