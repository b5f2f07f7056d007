// SPDX-License-Identifier: BSD-3-Clause
#include "app/memory_forecast.hpp"

#include <fmt/format.h>

#include "app/machine_json.hpp"
#include "core/base/byte_size.hpp"
#include "core/pipeline/pipeline_run.hpp"

namespace lufact {
namespace {

// Bytes of the products that exist before the numeric stage: the matrix as permuted (pattern,
// values, scales), the pattern of L + U with its diagonal, one right-hand side and its solution.
std::uint64_t product_bytes(Index n, Offset nnz, Offset nnz_lu) {
  const auto rows = static_cast<std::uint64_t>(n);
  const auto matrix = static_cast<std::uint64_t>(nnz) * (sizeof(Index) + sizeof(double)) +
                      rows * (sizeof(Offset) + 2 * sizeof(double));
  const auto pattern =
      static_cast<std::uint64_t>(nnz_lu) * sizeof(Index) + rows * 2 * sizeof(Offset);
  return matrix + pattern + rows * 2 * sizeof(double);
}

ModeForecast forecast_mode(const Catalogue& catalogue, const Mode& mode, Index n, Offset nnz,
                           Offset nnz_lu, const Machine& machine) {
  const Chain chain = resolve_chain(catalogue, mode.stages);
  ModeForecast forecast;
  forecast.mode = mode.name;
  forecast.resident_bytes = product_bytes(n, nnz, nnz_lu) +
                            chain.numeric->resident_bytes(n, nnz, nnz_lu, 1, Precision::float64);
  const Support support = chain.supported(machine, Until::solve);
  if (!support.ok) {
    forecast.reason = support.reason;
    return forecast;
  }
  const bool on_device = chain.uses_device(Until::solve);
  const std::uint64_t have = on_device ? machine.device->free_bytes : machine.host.memory_bytes;
  forecast.fits = forecast.resident_bytes <= have;
  forecast.reason = fmt::format("{} in the {} of {}", *forecast.fits ? "fits" : "does not fit",
                                format_byte_size(have), on_device ? "the device" : "the host");
  return forecast;
}

}  // namespace

MemoryForecast forecast_memory(const Catalogue& catalogue, const InputMatrix& input,
                               const Machine& machine) {
  const Chain chain = resolve_chain(catalogue, catalogue.mode("cpu").stages);
  const SteadyClock clock;
  RunSettings settings;
  settings.until = Until::symbolic;
  settings.verify = VerifyLevel::none;
  settings.options.allow_singular = true;
  settings.options.threads = effective_threads(0);
  LinearSystem system;
  system.input = input;
  const RunEnvironment environment{clock, nullptr, nullptr, nullptr, {}, {}};
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  RunRecord record;
  run.describe(record);
  MemoryForecast forecast;
  forecast.ordering = chain.ordering->info().name;
  forecast.nnz_lu = record.factors.nnz_l.value_or(0) + record.factors.nnz_u.value_or(0);
  forecast.fill_ratio = record.factors.fill_ratio.value_or(0);
  for (const Mode& mode : catalogue.modes) {
    forecast.modes.push_back(
        forecast_mode(catalogue, mode, input.facts.n, input.facts.nnz, forecast.nnz_lu, machine));
  }
  return forecast;
}

}  // namespace lufact
