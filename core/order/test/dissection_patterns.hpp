// SPDX-License-Identifier: BSD-3-Clause
// Graphs that strain nested dissection.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact::testing {

// n vertices, edges from `edges`, in both triangles or in the upper one alone.
inline CsrPattern graph_pattern(Index n, const std::vector<std::pair<Index, Index>>& edges,
                                bool both) {
  Cells cells;
  for (const auto& [i, j] : edges) {
    cells[{i, j}] = 1;
    if (both) cells[{j, i}] = 1;
  }
  return matrix_of(n, cells).pattern;
}

inline CsrPattern path_pattern(Index n) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index k = 0; k + 1 < n; ++k) edges.emplace_back(k, k + 1);
  return graph_pattern(n, edges, false);
}

inline CsrPattern star_pattern(Index n) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index k = 1; k < n; ++k) edges.emplace_back(0, k);
  return graph_pattern(n, edges, true);
}

// Several grids that nothing joins, and vertices of no edge.
inline CsrPattern archipelago(Index islands, Index side, Index alone) {
  Cells cells;
  const CsrPattern grid = grid_matrix(side, side).pattern;
  for (Index island = 0; island < islands; ++island) {
    for (Index i = 0; i < grid.n_rows; ++i) {
      for (const Index j : grid.row(i)) {
        cells[{island * grid.n_rows + i, island * grid.n_rows + j}] = 1;
      }
    }
  }
  return matrix_of(islands * grid.n_rows + alone, cells).pattern;
}

// A grid with three nodes to which very many others are tied.
inline CsrPattern grid_with_hubs(Index side) {
  Cells cells;
  const CsrPattern grid = grid_matrix(side, side).pattern;
  const Index n = grid.n_rows;
  for (Index i = 0; i < n; ++i) {
    for (const Index j : grid.row(i)) cells[{i, j}] = 1;
    cells[{i, n + i % 3}] = 1;
    if (i % 2 == 0) cells[{n, i}] = 1;
  }
  return matrix_of(n + 3, cells).pattern;
}

// Each node of a grid as four unknowns that are coupled among themselves and to their neighbours.
inline CsrPattern blocked_grid(Index side) {
  Cells cells;
  const CsrPattern grid = grid_matrix(side, side).pattern;
  for (Index i = 0; i < grid.n_rows; ++i) {
    for (const Index j : grid.row(i)) {
      for (Index k = 0; k < 16; ++k) cells[{4 * i + k / 4, 4 * j + k % 4}] = 1;
    }
  }
  return matrix_of(4 * grid.n_rows, cells).pattern;
}

inline std::map<std::string, CsrPattern> larger_patterns() {
  std::map<std::string, CsrPattern> patterns;
  patterns["path"] = path_pattern(5003);
  patterns["star"] = star_pattern(5001);
  patterns["grid"] = grid_matrix(101, 67).pattern;
  patterns["archipelago"] = archipelago(11, 23, 777);
  patterns["nothing"] = matrix_of(4999, {}).pattern;
  patterns["hubs"] = grid_with_hubs(71);
  patterns["blocked grid"] = blocked_grid(31);
  patterns["random"] = random_matrix(3001, 4, 0, true, 5).pattern;
  patterns["pairs"] = archipelago(2500, 1, 0);
  return patterns;
}

}  // namespace lufact::testing
