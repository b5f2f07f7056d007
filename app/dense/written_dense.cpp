// SPDX-License-Identifier: BSD-3-Clause
#include "app/dense/written_dense.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/batch/npy.hpp"

namespace lufact {
namespace {

void write_values(const std::string& path, const DenseArrays& arrays) {
  const ArrayProblem& problem = arrays.problem();
  const bool solves = problem.operation == ArrayOperation::solve;
  const Index rows = problem.rows, columns = solves ? problem.rhs : problem.columns;
  std::vector<double> values;
  values.reserve(at(Offset{rows} * columns));
  for (Index j = 0; j < columns; ++j) {
    const std::vector<double> column = arrays.result_column(j);
    values.insert(values.end(), column.begin(), column.end());
  }
  NpyWriter writer(path,
                   problem.precision == Precision::float64 ? NpyType::float64 : NpyType::float32,
                   {rows, columns});
  writer.add_matrix(values);
  writer.commit();
}

}  // namespace

void write_dense_results(const DenseConfig& config, const DenseArrays& arrays) {
  const auto& values_file = config.solves() ? config.solution_file : config.factors_file;
  if (values_file) write_values(*values_file, arrays);
  if (!config.pivots_file) return;
  const std::vector<std::int32_t> pivots = arrays.pivots();
  NpyWriter writer(*config.pivots_file, NpyType::int32, {1, static_cast<Offset>(pivots.size())});
  writer.add_row(pivots);
  writer.commit();
}

}  // namespace lufact
