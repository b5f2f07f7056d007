// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/selector.hpp"

#include <fmt/format.h>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

Weighed weigh(const OpenCandidate& open, const Known& known) {
  Weighed result{open.name, open.candidate->forecast(known)};
  if (open.candidate->only_beside_device && !known.device_room) {
    result.forecast.hindrance = "no other stage of this run may use a device";
  }
  return result;
}

std::string describe(const Weighed& candidate) {
  const Forecast& forecast = candidate.forecast;
  std::string text = candidate.name;
  if (!forecast.figures.empty()) text += " " + forecast.figures;
  if (!forecast.hindrance.empty()) text += " but " + forecast.hindrance;
  return text;
}

}  // namespace

Decision decide(const std::string& stage, const std::string& question,
                std::span<const Weighed> candidates) {
  Decision decision;
  decision.choice.stage = stage;
  decision.choice.reason = question + ":";
  bool found = false;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const Forecast& forecast = candidates[k].forecast;
    decision.choice.candidates.push_back(candidates[k].name);
    decision.choice.reason += (k == 0 ? " " : ", ") + describe(candidates[k]);
    if (!forecast.hindrance.empty()) continue;
    if (found && forecast.cost >= candidates[decision.index].forecast.cost) continue;
    decision.index = k;
    found = true;
  }
  decision.choice.chosen = decision.choice.candidates.at(decision.index);
  return decision;
}

std::size_t Selector::choose(std::span<const OpenCandidate> open, const Known& known,
                             StageNotes& notes) const {
  const std::optional<Question> question = parts_.question(known);
  if (!question) return 0;
  std::vector<Weighed> weighed(open.size());
  parallel_for(static_cast<Offset>(open.size()), question->threads, [&](Offset k) {
    const auto candidate = static_cast<std::size_t>(k);
    weighed[candidate] = weigh(open[candidate], known);
  });
  Decision decision = decide(parts_.decides, question->text, weighed);
  notes.choices.push_back(std::move(decision.choice));
  return decision.index;
}

}  // namespace lufact
