// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/memory_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/machine_json.hpp"
#include "core/base/byte_size.hpp"
#include "core/run/pipeline_run.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

// Bytes of the products that exist before the numeric stage: the matrix as permuted (pattern,
// values, scales), the pattern of L + U with its diagonal, right-hand sides and their solutions.
std::uint64_t product_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs) {
  const auto rows = static_cast<std::uint64_t>(n);
  const auto matrix = static_cast<std::uint64_t>(nnz) * (sizeof(Index) + sizeof(double)) +
                      rows * (sizeof(Offset) + 2 * sizeof(double));
  const auto pattern =
      static_cast<std::uint64_t>(nnz_lu) * sizeof(Index) + rows * 2 * sizeof(Offset);
  return matrix + pattern + rows * static_cast<std::uint64_t>(rhs) * 2 * sizeof(double);
}

// What a device holds where refactorizations are expected: the new values, and the source of each
// entry, 4 bytes as in any matrix that a card has room for.
std::uint64_t source_bytes(const Chain& chain, Offset nnz, const ForecastTerms& terms) {
  const bool held = terms.refactorizations > 0 && chain.uses_device(terms.until);
  return held ? static_cast<std::uint64_t>(nnz) * (sizeof(Index) + sizeof(double)) : 0;
}

// The labels of right-hand sides and solutions, which a device changes.
std::uint64_t label_bytes(const Chain& chain, Index n, const ForecastTerms& terms) {
  const bool held = terms.until == Until::solve && chain.uses_device(terms.until);
  return held ? static_cast<std::uint64_t>(n) * 2 * sizeof(Index) : 0;
}

// All of these.
std::uint64_t held_bytes(const Chain& chain, const MatrixFacts& facts, Offset nnz_lu,
                         const ForecastTerms& terms) {
  return product_bytes(facts.n, facts.nnz, nnz_lu, terms.rhs) +
         source_bytes(chain, facts.nnz, terms) + label_bytes(chain, facts.n, terms);
}

// The most that the chain must hold at any time: all that stays to the end, or, before there are
// factors, the symbolic stage's work arrays with the least that they run in.
std::uint64_t needed_bytes(const ChainForecast& forecast, std::uint64_t products) {
  const std::uint64_t work = forecast.symbolic_work ? forecast.symbolic_work->least : 0;
  return std::max(forecast.resident_bytes, products + work);
}

}  // namespace

ChainForecast forecast_chain(const Chain& chain, const MatrixFacts& facts, Offset nnz_lu,
                             const ForecastTerms& terms, const Machine& machine) {
  ChainForecast forecast;
  const std::uint64_t products = held_bytes(chain, facts, nnz_lu, terms);
  forecast.resident_bytes = products;
  if (terms.until >= Until::numeric) {
    forecast.resident_bytes +=
        chain.tail.numeric->resident_bytes(facts.n, facts.nnz, nnz_lu, terms.rhs, terms.precision);
  }
  if (terms.until >= Until::symbolic)
    forecast.symbolic_work = chain.tail.symbolic->work_bytes(facts.n);
  const Support support = chain.supported(machine, terms.until);
  if (!support.ok) {
    forecast.reason = support.reason;
    return forecast;
  }
  const bool on_device = chain.uses_device(terms.until);
  const auto& limit = on_device ? terms.device_limit : terms.host_limit;
  std::uint64_t have = on_device ? machine.device->free_bytes : machine.host.memory_bytes;
  have = std::min(have, limit.value_or(have));
  forecast.fits = needed_bytes(forecast, products) <= have;
  forecast.reason = fmt::format("{} in the {} of {}", *forecast.fits ? "fits" : "does not fit",
                                format_byte_size(have), on_device ? "the device" : "the host");
  return forecast;
}

std::uint64_t bytes_before_symbolic(const Chain& chain, const MatrixFacts& facts,
                                    const ForecastTerms& terms) {
  return held_bytes(chain, facts, 0, terms);
}

std::string work_text(const std::optional<WorkBytes>& work) {
  if (!work) return {};
  return fmt::format(", {} to {} of {} memory for symbolic work", format_byte_size(work->least),
                     format_byte_size(work->all_rows), work->managed ? "managed" : "device");
}

FactorCounts count_factors(const Catalogue& catalogue, StageSelection stages,
                           const std::string& permutation_file, const InputMatrix& input) {
  const StageSelection host = catalogue.mode(catalogue.oracle_mode).stages;
  stages.scaling = catalogue.scaling_on_host(stages.scaling);
  stages.ordering = catalogue.ordering_on_host(stages.ordering);
  stages.symbolic = host.symbolic;
  stages.levelize = host.levelize;
  stages.numeric = host.numeric;
  stages.solve = host.solve;
  stages.pivoting = host.pivoting;
  stages.family.clear();
  const Chain chain = resolve_chain(catalogue, stages);
  const SteadyClock clock;
  RunSettings settings;
  settings.until = Until::symbolic;
  settings.verify = VerifyLevel::none;
  settings.options.allow_singular = true;
  settings.options.threads = effective_threads(0);
  settings.options.permutation_file = permutation_file;
  LinearSystem system;
  system.input = input;
  const RunEnvironment environment{.clock = clock};
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  RunRecord record;
  run.describe(record);
  const FactorsRecord factors = record.factors.value();
  return {factors.nnz_l.value_or(0) + factors.nnz_u.value_or(0), factors.fill_ratio.value_or(0)};
}

}  // namespace lufact
