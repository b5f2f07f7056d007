// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/supernodes.hpp"

#include <algorithm>
#include <set>

namespace lufact::reference {
namespace {

Offset nnz_of_u(const ColumnPattern& pattern, Index s) {
  Offset nnz = 0;
  for (const Index column : pattern.rows.row(s)) nnz += column >= s ? 1 : 0;
  return nnz;
}

bool entry_of_l(const ColumnPattern& pattern, Index s, Index r) {
  const auto row = pattern.rows.row(s);
  return r < s && std::find(row.begin(), row.end(), r) != row.end();
}

}  // namespace

SupernodeSearch t3_supernodes(const ColumnPattern& pattern, Index chunk_size) {
  const Index n = pattern.rows.n_rows;
  // Phase I: the bitmap and the queue of leaders.
  std::vector<bool> one_fewer(at(n), false);
  std::vector<Index> leaders;
  for (Index s = 0; s < n; ++s) {
    one_fewer[at(s)] = s % chunk_size != 0 && nnz_of_u(pattern, s) == nnz_of_u(pattern, s - 1) - 1;
    if (!one_fewer[at(s)]) leaders.push_back(s);
  }
  // Phase II: a walk for each leader.
  std::set<Index> starts{n};
  for (const Index leader : leaders) {
    Index r = leader;
    starts.insert(r);
    for (Index s = leader + 1; s < n && one_fewer[at(s)]; ++s) {
      if (entry_of_l(pattern, s, r)) continue;
      r = s;
      starts.insert(r);
    }
  }
  return {std::move(leaders), {starts.begin(), starts.end()}};
}

}  // namespace lufact::reference
