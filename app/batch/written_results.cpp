// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/written_results.hpp"

#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"

namespace lufact {
namespace {

NpyType type_of(Precision precision) {
  return precision == Precision::float64 ? NpyType::float64 : NpyType::float32;
}

}  // namespace

void write_batch_results(const BatchConfig& config,
                         const std::vector<std::unique_ptr<GroupRun>>& groups) {
  std::optional<std::string> values_file = config.factors_file;
  if (config.inverse_file) values_file = config.inverse_file;
  if (config.solution_file) values_file = config.solution_file;
  if (!values_file && !config.pivots_file) return;
  if (groups.size() != 1) {
    throw Error(Outcome::unsupported, "several_orders",
                "matrices of several orders are no array of NumPy; name one with --size");
  }
  const BatchArrays& arrays = groups.front()->arrays();
  const ArrayProblem& problem = arrays.problem();
  const Index columns = problem.operation == ArrayOperation::solve ? problem.rhs : problem.columns;
  std::optional<NpyWriter> values, pivots;
  if (values_file) {
    values.emplace(*values_file, type_of(problem.precision),
                   std::vector<Offset>{problem.count, problem.rows, columns});
  }
  if (config.pivots_file) {
    pivots.emplace(*config.pivots_file, NpyType::int32,
                   std::vector<Offset>{problem.count, problem.order()});
  }
  for_results(
      arrays, problem.count, [](Offset k) { return k; },
      [&](const BatchResult& result) {
        if (values) values->add_matrix(result.values);
        if (pivots) pivots->add_row(result.pivots);
      });
  if (values) values->commit();
  if (pivots) pivots->commit();
}

}  // namespace lufact
