// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"
#include "core/base/error.hpp"
#include "core/report/comparison_page.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  std::string a, b;
  std::vector<std::string> phases;  // empty: those that ComparisonOptions has
  std::string threshold = "5%", floor = "1ms", format = "table";
  std::uint64_t seed = 1;
};

// A file that cannot be read is wrong usage here.
Json json_of(const std::string& path) {
  try {
    return read_result_json(path);
  } catch (const Error& failure) {
    throw UsageError(failure.what());
  }
}

Json read_result(const std::string& path) {
  const Json json = json_of(path);
  const auto faults = schema_violations(nlohmann::json(json));
  if (!faults.empty()) {
    throw UsageError(fmt::format(
        "{}: no result file of this version: {}; `lufact validate` lists all that is wrong", path,
        faults.front()));
  }
  return json;
}

// The number in front of `unit`, not negative; empty where the text is not of that form.
std::optional<double> number_before(std::string_view text, std::string_view unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc{} && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

double parse_threshold(const std::string& text) {
  const auto percent = number_before(text, "%");
  if (percent) return *percent / 100;
  throw UsageError(fmt::format("--threshold '{}' is no percentage; accepted: as in 5%", text));
}

double parse_floor(const std::string& text) {
  if (const auto milli = number_before(text, "ms")) return *milli * 1e-3;
  if (const auto micro = number_before(text, "us")) return *micro * 1e-6;
  if (const auto seconds = number_before(text, "s")) return *seconds;
  throw UsageError(fmt::format("--floor '{}' is no time; accepted: as in 1ms, 50us or 0.5s", text));
}

ComparisonOptions comparison_options(const CompareOptions& options) {
  ComparisonOptions result;
  result.phases_chosen = !options.phases.empty();
  if (result.phases_chosen) result.phases = options.phases;
  result.threshold = parse_threshold(options.threshold);
  result.floor_s = parse_floor(options.floor);
  result.seed = options.seed;
  return result;
}

int run_compare(const CompareOptions& options) {
  ComparisonPage page;
  page.options = comparison_options(options);
  const Json a = read_result(options.a), b = read_result(options.b);
  page.a = compared_file(options.a, a);
  page.b = compared_file(options.b, b);
  page.comparison = compare_files(a, b, page.options);
  fmt::print("{}", options.format == "md" ? comparison_markdown(page) : comparison_text(page));
  for (const std::string& fault : page.comparison.faults) {
    fmt::print(stderr, "lufact: compare: {}\n", fault);
  }
  return is_worse(page.comparison) ? exit_status::not_ok : exit_status::ok;
}

}  // namespace

Command add_compare_command(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "Two result files, phase by phase: faster, slower, same or unclear; exit status 3 where "
      "something became slower or is no longer ok, or where nothing could be compared");
  command->add_option("a", options->a, "Result file to compare with")->required();
  command->add_option("b", options->b, "Result file that is judged")->required();
  command
      ->add_option("--phase", options->phases,
                   "all, or names of phases: total, symbolic, numeric, refactor, refactor/solve, "
                   "... (default: total,numeric,refactor)")
      ->delimiter(',')
      ->type_name("PHASE,...");
  command
      ->add_option("--threshold", options->threshold,
                   "Changes of fewer percent than this do not count")
      ->type_name("X%")
      ->capture_default_str();
  command
      ->add_option("--floor", options->floor,
                   "Changes of less time than this do not count (us, ms, s)")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--format", options->format, "table, or md: Markdown for pull requests")
      ->check(one_of({"table", "md"}))
      ->type_name("table|md")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the bootstrap intervals")->capture_default_str();
  return {command, [options] { return run_compare(*options); }};
}

}  // namespace lufact
