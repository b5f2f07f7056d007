// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/external_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/pipeline/counted_phases.hpp"

namespace lufact {
namespace {

// Told beside the phases that count.
constexpr std::array<std::string_view, 2> phases_before{"init", "read"};
constexpr std::array<std::string_view, 8> count_names{"nnz_l",
                                                      "nnz_u",
                                                      "levels",
                                                      "supernodes",
                                                      "threads",
                                                      "perturbed_pivots",
                                                      "refinement_steps",
                                                      "device_peak_bytes"};
constexpr std::array<std::string_view, 6> text_names{"library",  "version",  "scaling",
                                                     "ordering", "symbolic", "numeric"};

template <class Names>
bool among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void reject(std::string_view key, std::string_view value, std::string_view expected) {
  throw Error(
      Outcome::error, "bad_answer",
      fmt::format("the external program answered '{} {}'; {} is needed", key, value, expected));
}

template <class T>
T number(std::string_view key, std::string_view value, std::string_view expected) {
  T result{};
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), result);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == value.data() + value.size();
  if (!whole || !(result >= 0) || !std::isfinite(static_cast<double>(result))) {
    reject(key, value, expected);
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// "numeric_s" -> "numeric"; empty where it is no phase.
std::string_view phase_of(std::string_view key) {
  if (!key.ends_with("_s")) return {};
  key.remove_suffix(2);
  const bool known = among(phases_before, key) || among(sparse_counted_phases, key);
  return known ? key : std::string_view{};
}

Outcome parse_claim(std::string_view value) {
  const auto outcome = parse_outcome(value);
  if (!outcome) reject("outcome", value, "one of the outcomes of the result file");
  return *outcome;
}

void take(std::string_view key, std::string_view value, ExternalAnswer& answer,
          std::map<std::string, double, std::less<>>& seconds) {
  if (const std::string_view phase = phase_of(key); !phase.empty()) {
    seconds[std::string(phase)] = number<double>(key, value, "seconds of 0 or more");
  } else if (among(count_names, key)) {
    answer.counts[std::string(key)] = number<Offset>(key, value, "an integer of 0 or more");
  } else if (key == "flops") {
    answer.flops = number<double>(key, value, "a number of 0 or more");
  } else if (among(text_names, key)) {
    answer.texts[std::string(key)] = value;
  } else if (key == "setting") {
    const auto space = value.find(' ');
    if (space == std::string_view::npos) reject(key, value, "'setting NAME VALUE'");
    answer.settings[std::string(value.substr(0, space))] = trimmed(value.substr(space));
  } else if (key == "solution") {
    answer.solution = value;
  } else if (key == "outcome") {
    answer.outcome = parse_claim(value);
  } else if (key == "message") {
    answer.message = value;
  }
}

}  // namespace

ExternalAnswer parse_external_answer(std::string_view text) {
  ExternalAnswer answer;
  std::map<std::string, double, std::less<>> seconds;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::string_view words = trimmed(line);
    const auto space = words.find_first_of(" \t");
    if (space == std::string_view::npos) continue;
    take(words.substr(0, space), trimmed(words.substr(space)), answer, seconds);
  }
  const auto add = [&](std::string_view name) {
    const auto found = seconds.find(name);
    if (found == seconds.end()) return;
    PhaseTime phase;
    phase.name = name;
    phase.wall_s = found->second;
    answer.phases.push_back(std::move(phase));
  };
  std::ranges::for_each(phases_before, add);
  std::ranges::for_each(sparse_counted_phases, add);
  return answer;
}

}  // namespace lufact
