// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/dense_figures.hpp"

#include <fmt/format.h>

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

std::vector<std::string> dense_violations(const RunRecord& run) {
  if (run.samples.empty()) return {};
  const DenseRecord& dense = run.dense.value();
  std::vector<std::string> faults;
  const Index order = std::min(dense.m, dense.n);
  if (dense.info && (*dense.info < 0 || *dense.info > order)) {
    faults.push_back(fmt::format("info is {} with an order of {}", *dense.info, order));
  }
  if (dense.operation == "solve" && (dense.rhs < 1 || dense.m != dense.n)) {
    faults.push_back(fmt::format("solve of a matrix of {} x {} with {} right-hand sides", dense.m,
                                 dense.n, dense.rhs));
  }
  const auto& refinement = dense.refinement;
  if (refinement && refinement->history.size() > at(refinement->steps) + 1) {
    faults.push_back(fmt::format("refinement has {} steps, and a history of {}", refinement->steps,
                                 refinement->history.size()));
  }
  return faults;
}

}  // namespace lufact
