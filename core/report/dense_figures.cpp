// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/dense_figures.hpp"

#include <algorithm>

#include "core/report/work_time.hpp"

namespace lufact {

double dense_flops(const std::string& operation, Index m, Index n, Index rhs) {
  const double rows = m, columns = n, order = std::min(m, n);
  const double lu =
      2 * rows * columns * order - (rows + columns) * order * order + 2 * order * order * order / 3;
  return operation == "solve" ? lu + 2 * columns * columns * rhs : lu;
}

void set_dense_figures(RunRecord& run) {
  DenseRecord& dense = *run.dense;
  dense.flops = dense_flops(dense.operation, dense.m, dense.n, dense.rhs);
  dense.flops_per_s.reset();
  if (const auto time = median_work_time(run)) dense.flops_per_s = dense.flops / time->seconds;
}

}  // namespace lufact
