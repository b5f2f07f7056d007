// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/symbolic_selector.hpp"

#include <fmt/format.h>

#include "core/base/byte_size.hpp"
#include "core/matrix/parallel.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {
namespace {

// Work arrays, some of which stay, may take this part of the free device memory: factors need the
// most of it.
constexpr std::uint64_t least_part_of_room = 4;

std::optional<Question> question_of(const Known& known) {
  return Question{.text = fmt::format("forecast for {} rows and {} entries with {} threads",
                                      known.n, known.nnz, thread_count(known.options.threads))};
}

// Why a stage that takes so many bytes of the device cannot run; empty where it can.
std::string hindrance_of(std::uint64_t bytes, std::uint64_t room) {
  if (bytes <= room / least_part_of_room) return {};
  return fmt::format("its {} are too much of the {} free on the device", format_byte_size(bytes),
                     format_byte_size(room));
}

Forecast weigh(const FrontSymbolic& stage, const Known& known) {
  const double seconds =
      stage.seconds(known.n, known.nnz, thread_count(known.options.threads), known.options.rates);
  Forecast forecast{.cost = seconds, .figures = fmt::format("{:.3g} ms", seconds * 1e3)};
  if (stage.device_bytes != nullptr && known.device_room) {
    forecast.hindrance = hindrance_of(stage.device_bytes(known.n, known.nnz), *known.device_room);
  }
  return forecast;
}

Candidate candidate_of(const FrontSymbolic& stage) {
  return {.stages = {.symbolic = stage.name},
          .forecast = [stage](const Known& known) { return weigh(stage, known); },
          .only_beside_device = stage.device_bytes != nullptr};
}

}  // namespace

std::unique_ptr<Selector> make_front_symbolic_selector(
    const std::vector<FrontSymbolic>& candidates) {
  SelectorParts parts{
      .info = {.name = "select",
               .description =
                   "symbolic of fronts on the CPU or the GPU, by a forecast from rows, entries "
                   "and --threads; the record says why",
               .source = "core/choose",
               .takes = {product_types::ordering},
               .gives = product_types::front_tree},
      .decides = "symbolic",
      .question = question_of,
      .candidates = {}};
  for (const FrontSymbolic& stage : candidates) parts.candidates.push_back(candidate_of(stage));
  return std::make_unique<Selector>(std::move(parts));
}

}  // namespace lufact
