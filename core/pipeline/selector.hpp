// SPDX-License-Identifier: BSD-3-Clause
// Choices that are made on the way: how a run goes on, once a product is known. A selector is data:
// candidates, each with its own forecast. The decision and its record are the same for all.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/pipeline/stage.hpp"

namespace lufact {

// What is known where a selector decides.
struct Known {
  const StageOptions& options;
  Index n = 0, rhs = 1;
  Offset nnz = 0;                        // of A
  std::optional<double> most_entries{};  // that L + U can have, diagonal once, where it was counted
  const Product* product = nullptr;      // of the type that the selector takes; null for orderings
  // What is free of the device's budget, in bytes; empty: the run has no device.
  std::optional<std::uint64_t> device_room{};
};

// What a candidate is weighed by.
struct Forecast {
  double cost = 0;          // seconds, or a rank where a rule decides
  std::string figures{};    // behind it, for the record
  std::string hindrance{};  // why it cannot be taken here; empty where it can
};

// A candidate as the decision sees it.
struct Weighed {
  std::string name;
  Forecast forecast;
};

struct Decision {
  std::size_t index = 0;
  Choice choice;
};

// The least cost among candidates without a hindrance, the first of equals; the first of all where
// each has one. The reason of the choice is `question` and the figures of every candidate.
Decision decide(const std::string& stage, const std::string& question,
                std::span<const Weighed> candidates);

// Stages that a candidate brings; an empty name leaves what is planned.
struct StageNames {
  std::string symbolic{}, levelize{}, numeric{};
  std::optional<bool> postorder{};
};

// One way to go on.
struct Candidate {
  StageNames stages;
  std::function<Forecast(const Known&)> forecast;
  // Open only where the run has a device for the sake of other stages, so that no run needs one for
  // this choice.
  bool only_beside_device = false;
};

// What a decision is about, as its record says it, and the threads that weigh the candidates.
struct Question {
  std::string text;
  int threads = 1;
};

struct SelectorParts {
  StageInfo info;       // takes: the product that must be known
  std::string decides;  // "family", "symbolic" or "numeric": the option that names the selector,
                        // and the stage of its choice in the record
  // Empty where there is nothing to weigh candidates by: then the first goes on.
  std::function<std::optional<Question>(const Known&)> question;
  // The first stands for all as long as nothing is chosen: what the chain needs is what it needs.
  std::vector<Candidate> candidates;
};

// A candidate that the selection of a run leaves open, by its name in the record.
struct OpenCandidate {
  std::string name;
  const Candidate* candidate = nullptr;
};

// An entry of the catalogue, named like a stage in place of those that it chooses.
class Selector final : public Stage {
 public:
  explicit Selector(SelectorParts parts) : parts_(std::move(parts)) {}

  const StageInfo& info() const noexcept override { return parts_.info; }
  const std::string& decides() const noexcept { return parts_.decides; }
  std::span<const Candidate> candidates() const noexcept { return parts_.candidates; }
  // Which of `open`; records the choice, if there was a question.
  std::size_t choose(std::span<const OpenCandidate> open, const Known& known,
                     StageNotes& notes) const;

 private:
  SelectorParts parts_;
};

}  // namespace lufact
