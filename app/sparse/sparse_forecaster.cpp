// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/sparse_forecaster.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>

#include "app/config/memory_forecast.hpp"
#include "app/sparse/sparse_plan.hpp"
#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/base/memory_limit.hpp"
#include "core/generate/generate.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

// Inputs and factor counts are made once for all variants that agree on them.
class SparseForecaster final : public Forecaster {
 public:
  SparseForecaster(const Catalogue& catalogue, const Input& input, const Machine& machine)
      : catalogue_(catalogue), input_(input), machine_(machine) {}

  std::string of(const VariantPlan& plan) override {
    if (plan.record.mode == peer_mode) return "";
    try {
      return describe(static_cast<const SparsePlan&>(plan));
    } catch (const Error& error) {
      return fmt::format("no prediction: {}", error.what());
    }
  }

 private:
  std::string describe(const SparsePlan& plan) {
    const RunConfig& config = plan.config;
    const InputMatrix& input = input_for(config);
    const Offset nnz_lu = config.until >= Until::symbolic ? counts_for(plan, input).nnz_lu : 0;
    const ForecastTerms terms{config.until,
                              config.rhs,
                              config.precision,
                              config.effective_expect_refactorizations(),
                              config.device_memory_limit,
                              memory_limit_with(config.host_memory_limit)};
    const ChainForecast forecast = forecast_chain(plan.chain, input.facts, nnz_lu, terms, machine_);
    return fmt::format("n {}, nnz(L+U) {}, {} resident{}: {}", input.facts.n, nnz_lu,
                       format_byte_size(forecast.resident_bytes), work_text(forecast.symbolic_work),
                       forecast.reason);
  }

  const InputMatrix& input_for(const RunConfig& config) {
    const ReadOptions options = read_options(config);
    const auto key = std::tuple(options.symmetry, options.explicit_zeros, options.zero_diagonals);
    auto known = inputs_.find(key);
    if (known == inputs_.end()) known = inputs_.emplace(key, read_input(options)).first;
    return known->second;
  }

  InputMatrix read_input(const ReadOptions& options) const {
    if (!input_.generator) return read_matrix(input_.path, options);
    return as_if_read(generate_matrix(*input_.generator), options);
  }

  const FactorCounts& counts_for(const SparsePlan& plan, const InputMatrix& input) {
    const RunConfig& config = plan.config;
    const auto stages = select_stages(config, catalogue_.mode(plan.record.mode));
    const auto key =
        std::tuple(&input, stages.scaling, stages.ordering, config.permutation_file.value_or(""));
    auto known = counts_.find(key);
    if (known == counts_.end()) {
      const auto counts =
          count_factors(catalogue_, stages, config.permutation_file.value_or(""), input);
      known = counts_.emplace(key, counts).first;
    }
    return known->second;
  }

  const Catalogue& catalogue_;
  const Input& input_;
  const Machine& machine_;
  std::map<std::tuple<SymmetryMode, ExplicitZeros, std::optional<double>>, InputMatrix> inputs_;
  // A postorder changes no count.
  std::map<std::tuple<const InputMatrix*, std::string, std::string, std::string>, FactorCounts>
      counts_;
};

}  // namespace

std::unique_ptr<Forecaster> make_sparse_forecaster(const Catalogue& catalogue, const Input& input,
                                                   const Machine& machine) {
  return std::make_unique<SparseForecaster>(catalogue, input, machine);
}

}  // namespace lufact
