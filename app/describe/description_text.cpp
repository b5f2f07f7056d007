// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/description_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "app/config/rates_file.hpp"
#include "core/base/byte_size.hpp"
#include "core/base/format_count.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

using Text = std::back_insert_iterator<std::string>;

void add_facts(Text out, const MatrixFacts& facts) {
  fmt::format_to(out, "{}\n", facts.path);
  fmt::format_to(out, "  n {}, nnz {} ({} lines), {} {}, structural symmetry {:.4f}\n",
                 format_count(facts.n), format_count(facts.nnz), format_count(facts.nnz_stored),
                 facts.field, facts.file_symmetry, facts.structural_symmetry);
  fmt::format_to(out, "  missing diagonals {}, duplicates summed {}, explicit zeros dropped {}\n",
                 format_count(facts.missing_diagonals), format_count(facts.duplicates_summed),
                 format_count(facts.explicit_zeros_dropped));
  fmt::format_to(out, "  sha256 {}\n", facts.sha256);
  if (facts.generator) {
    fmt::format_to(out, "  generated: {} seed {}\n", facts.generator->kind, facts.generator->seed);
  }
}

void add_entries(Text out, const EntryFacts& entries, Index n) {
  fmt::format_to(out, "  bandwidth {} below and {} above the diagonal, profile {:.4g}\n",
                 format_count(entries.lower_bandwidth), format_count(entries.upper_bandwidth),
                 entries.profile);
  const auto range = [](const DegreeRange& degrees) {
    return fmt::format("{} to {} (mean {:.2f})", format_count(degrees.least),
                       format_count(degrees.most), degrees.mean);
  };
  fmt::format_to(out, "  entries of a row {}, of a column {}\n", range(entries.row_degrees),
                 range(entries.column_degrees));
  fmt::format_to(out, "  rows with a dominant diagonal {} of {}",
                 format_count(entries.dominance.rows), format_count(n));
  if (entries.dominance.least_ratio) {
    fmt::format_to(out, ", least ratio {:.3g}", *entries.dominance.least_ratio);
  }
  fmt::format_to(out, "\n");
}

void add_ordering(Text out, const OrderingFacts& ordering, const std::string& scaling) {
  const std::string name = ordering.asked == ordering.chosen
                               ? ordering.asked
                               : fmt::format("{} (takes {})", ordering.asked, ordering.chosen);
  fmt::format_to(out, "  nnz(L+U) {}{} with {} and {}", ordering.exact ? "" : "at most ",
                 format_count(ordering.nnz_lu), scaling, name);
  if (ordering.fill_ratio) fmt::format_to(out, " (fill ratio {:.2f})", *ordering.fill_ratio);
  fmt::format_to(out, ", {:.3g} operations, ordered in {}\n", ordering.flops,
                 seconds_text(ordering.seconds));
  fmt::format_to(out,
                 "    elimination tree of {} levels, the widest of {} columns; {} fronts, the "
                 "largest of order {}\n",
                 format_count(ordering.levels), format_count(ordering.widest_level),
                 format_count(ordering.fronts), format_count(ordering.largest_front));
}

using Row = std::array<std::string, 6>;

std::string remark_of(const ModeDescription& mode, const Machine& machine) {
  if (mode.memory.fits) return mode.memory.reason;
  return mode.uses_device && !machine.device ? "needs a device" : mode.memory.reason;
}

Row row_of(const ModeDescription& mode, const Machine& machine) {
  const auto seconds = [&](double ModeTime::*member) {
    if (!mode.time) return std::string("-");
    return (mode.time->at_least ? ">= " : "") + seconds_text((*mode.time).*member);
  };
  return {"mode " + mode.mode,
          mode.ordering,
          format_byte_size(mode.memory.resident_bytes),
          seconds(&ModeTime::first_s),
          seconds(&ModeTime::each_s),
          remark_of(mode, machine)};
}

void add_rows(Text out, const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> width{};
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  for (const Row& row : rows) {
    fmt::format_to(out, "  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {}\n", row[0], width[0], row[1],
                   width[1], row[2], width[2], row[3], width[3], row[4], width[4], row[5]);
  }
}

void add_modes(Text out, const MatrixDescription& description) {
  fmt::format_to(out,
                 "  forecasts for {} threads by the rates {} ({}){}; the first time is from the "
                 "symbolic step to the solution\n",
                 description.threads, description.rates.name, description.rates.origins(),
                 calibration_hint(description.rates));
  std::vector<Row> rows{{"", "ordering", "memory", "first", "each more", "here"}};
  for (const ModeDescription& mode : description.modes) {
    rows.push_back(row_of(mode, description.machine));
  }
  add_rows(out, rows);
  for (const ModeDescription& mode : description.modes) {
    if (!mode.memory.symbolic_work) continue;
    fmt::format_to(out, "  mode {}:{}\n", mode.mode,
                   work_text(mode.memory.symbolic_work).substr(1));
  }
}

void add_gsofa(Text out, const ModeDescription& mode) {
  if (!mode.gsofa) {
    if (!mode.gsofa_reason.empty()) {
      fmt::format_to(out, "  mode {}: {}\n", mode.mode, mode.gsofa_reason);
    }
    return;
  }
  const GsofaBatch& batch = *mode.gsofa;
  fmt::format_to(out,
                 "  mode {}: {} of a budget of {} for a batch, {} beside it; at most {} sources in "
                 "flight (#C) in the first batch and {} in the last, batches: {} or more; #C {} by "
                 "the paper's rule\n",
                 mode.mode, format_byte_size(batch.array_bytes),
                 format_byte_size(batch.budget_bytes), format_byte_size(batch.row_bytes),
                 batch.most_sources, batch.least_sources, batch.batches, batch.paper_sources);
}

nlohmann::ordered_json to_json(const DegreeRange& degrees) {
  return {{"least", degrees.least}, {"most", degrees.most}, {"mean", degrees.mean}};
}

nlohmann::ordered_json to_json(const EntryFacts& entries) {
  const auto& ratio = entries.dominance.least_ratio;
  return {{"lower_bandwidth", entries.lower_bandwidth},
          {"upper_bandwidth", entries.upper_bandwidth},
          {"profile", entries.profile},
          {"row_degrees", to_json(entries.row_degrees)},
          {"column_degrees", to_json(entries.column_degrees)},
          {"dominant_rows", entries.dominance.rows},
          {"least_dominance_ratio",
           ratio ? nlohmann::ordered_json(*ratio) : nlohmann::ordered_json(nullptr)}};
}

nlohmann::ordered_json to_json(const std::vector<Choice>& choices) {
  auto list = nlohmann::ordered_json::array();
  for (const Choice& choice : choices) {
    list.push_back({{"stage", choice.stage},
                    {"chosen", choice.chosen},
                    {"candidates", choice.candidates},
                    {"reason", choice.reason}});
  }
  return list;
}

nlohmann::ordered_json to_json(const OrderingFacts& ordering) {
  return {{"ordering", ordering.asked},
          {"chosen", ordering.chosen},
          {"seconds", ordering.seconds},
          {"nnz_lu", ordering.nnz_lu},
          {"pattern", ordering.exact ? "exact" : "bound"},
          {"fill_ratio", ordering.fill_ratio ? nlohmann::ordered_json(*ordering.fill_ratio)
                                             : nlohmann::ordered_json(nullptr)},
          {"flops", ordering.flops},
          {"nnz_fronts", ordering.nnz_fronts},
          {"levels", ordering.levels},
          {"widest_level", ordering.widest_level},
          {"largest_column", ordering.largest_column},
          {"fronts", ordering.fronts},
          {"largest_front", ordering.largest_front},
          {"choices", to_json(ordering.choices)}};
}

nlohmann::ordered_json to_json(const std::optional<WorkBytes>& work) {
  if (!work) return nullptr;
  return {{"least_bytes", work->least},
          {"all_rows_bytes", work->all_rows},
          {"memory", work->managed ? "managed" : "device"}};
}

nlohmann::ordered_json to_json(const std::optional<ModeTime>& time) {
  if (!time) return nullptr;
  return {{"first_s", time->first_s},
          {"each_s", time->each_s},
          {"at_least", time->at_least},
          {"numeric", time->numeric},
          {"choices", to_json(time->choices)}};
}

nlohmann::ordered_json to_json(const ModeDescription& mode) {
  return {{"mode", mode.mode},
          {"ordering", mode.ordering},
          {"solves_transposed", mode.solves_transposed},
          {"resident_bytes", mode.memory.resident_bytes},
          {"symbolic_work", to_json(mode.memory.symbolic_work)},
          {"fits", mode.memory.fits ? nlohmann::ordered_json(*mode.memory.fits)
                                    : nlohmann::ordered_json(nullptr)},
          {"reason", mode.memory.reason},
          {"time", to_json(mode.time)},
          {"gsofa_batch", to_json(mode.gsofa)}};
}

// The first ordering heads it, as it did before there were several.
nlohmann::ordered_json forecast_json(const MatrixDescription& description) {
  nlohmann::ordered_json json = to_json(description.orderings.front());
  json.erase("choices");
  json["threads"] = description.threads;
  json["expect_refactorizations"] = description.expect_refactorizations;
  json["rates"] = {{"name", description.rates.name}, {"source", description.rates.source}};
  json["scaling"] = description.scaling;
  json["matching_s"] = description.matching_s;
  json["orderings"] = nlohmann::ordered_json::array();
  for (const OrderingFacts& ordering : description.orderings) {
    json["orderings"].push_back(to_json(ordering));
  }
  json["modes"] = nlohmann::ordered_json::array();
  for (const ModeDescription& mode : description.modes) json["modes"].push_back(to_json(mode));
  return json;
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string description_text(const MatrixDescription& description) {
  std::string text;
  const Text out = std::back_inserter(text);
  add_facts(out, description.facts);
  add_entries(out, description.entries, description.facts.n);
  for (const OrderingFacts& ordering : description.orderings) {
    add_ordering(out, ordering, description.scaling);
  }
  add_modes(out, description);
  for (const ModeDescription& mode : description.modes) add_gsofa(out, mode);
  if (!description.machine.device) {
    fmt::format_to(out, "  no device: {}\n", description.machine.device_absent_reason);
  }
  const Recommendation& recommended = description.recommendation;
  fmt::format_to(out, "  recommended: {}: {}\n", recommended.mode.value_or("none"),
                 recommended.reason);
  return text;
}

nlohmann::ordered_json to_json(const std::optional<GsofaBatch>& batch) {
  if (!batch) return nullptr;
  return {{"budget_bytes", batch->budget_bytes},   {"array_bytes", batch->array_bytes},
          {"row_bytes", batch->row_bytes},         {"most_sources", batch->most_sources},
          {"least_sources", batch->least_sources}, {"batches", batch->batches},
          {"paper_sources", batch->paper_sources}};
}

nlohmann::ordered_json to_json(const MatrixDescription& description) {
  nlohmann::ordered_json json = to_json(description.facts);
  json["missing_diagonals"] = description.facts.missing_diagonals;
  json["entries"] = to_json(description.entries);
  json["forecast"] = forecast_json(description);
  json["recommendation"] = {{"mode", description.recommendation.mode
                                         ? nlohmann::ordered_json(*description.recommendation.mode)
                                         : nlohmann::ordered_json(nullptr)},
                            {"reason", description.recommendation.reason}};
  return json;
}

}  // namespace lufact
