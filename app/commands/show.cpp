// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/config/invocation.hpp"
#include "app/config/value_checks.hpp"
#include "app/terminal/terminal.hpp"
#include "core/base/error.hpp"
#include "core/report/benchmark_json.hpp"
#include "core/report/cells.hpp"
#include "core/report/record_json.hpp"
#include "core/report/result_file.hpp"
#include "core/report/result_schema.hpp"
#include "core/report/result_text.hpp"
#include "core/report/run_csv.hpp"
#include "core/report/run_tables.hpp"

namespace lufact {
namespace {

using Json = nlohmann::ordered_json;

struct ShowOptions {
  std::vector<std::string> files;
  std::string format = "table";
  std::string group = "input";
};

struct ShownFile {
  std::string path;
  Json meta;
  std::uint64_t seed = 1;
  std::vector<RunRecord> runs{};
};

ShownFile read_result(const std::string& path) {
  const Json json = read_result_json(path);
  const auto faults = schema_violations(nlohmann::json(json));
  if (!faults.empty()) {
    throw Error(Outcome::error, "bad_result",
                fmt::format("{}: no result file of this version: {}; `lufact validate` lists all "
                            "that is wrong",
                            path, faults.front()));
  }
  ShownFile file{path, json.at("meta")};
  const Json& config = json.at("config");
  if (config.contains("seed") && config.at("seed").is_number_unsigned()) {
    file.seed = config.at("seed").get<std::uint64_t>();
  }
  for (const Json& run : json.at("runs")) file.runs.push_back(run_from_json(run));
  return file;
}

std::string text_or(const Json& value, const std::string& otherwise) {
  return value.is_null() ? otherwise : value.get<std::string>();
}

// Where the numbers come from.
Section origin_of(const ShownFile& file) {
  const Json &device = file.meta.at("device"), &host = file.meta.at("host");
  const Json& threads = host.at("threads");
  std::string text = device.is_null() ? "no device" : text_or(device.at("name"), "unknown device");
  text += fmt::format("; {}", text_or(host.at("cpu_model"), "unknown CPU"));
  if (!threads.is_null()) text += fmt::format(", {} threads", threads.get<int>());
  text +=
      fmt::format("; commit {:.12}, {}", file.meta.at("lufact").at("git_sha").get<std::string>(),
                  file.meta.at("started_at").get<std::string>());
  return {file.path, {}, {{text, Tone::faint}}};
}

// The messages of warnings, whose codes alone are in the tables.
void add_warnings(const ShownFile& file, std::vector<Section>& sections) {
  Section warnings{"Warnings", {}, {}};
  for (const RunRecord& run : file.runs) {
    for (const Warning& warning : run.warnings) {
      warnings.lines.push_back({fmt::format("{} {}: {}: {}", run.input.name, run_label(run),
                                            warning.code, warning.message),
                                Tone::caution});
    }
  }
  if (!warnings.lines.empty()) sections.push_back(std::move(warnings));
}

std::vector<Section> sections_of(const std::vector<ShownFile>& files, const ShowOptions& options,
                                 const Workloads& workloads) {
  std::vector<Section> sections;
  for (const ShownFile& file : files) {
    const TableContext context{facts_of(workloads), file.seed, peaks_of_meta(file.meta)};
    sections.push_back(origin_of(file));
    auto tables = options.group == "variant" ? sections_by_variant(file.runs, context)
                                             : sections_by_input(file.runs, context);
    std::ranges::move(tables, std::back_inserter(sections));
    add_warnings(file, sections);
  }
  return sections;
}

std::string csv_of_files(std::vector<ShownFile> files, const Workloads& workloads) {
  std::vector<RunsOfFile> runs;
  for (ShownFile& file : files) {
    runs.push_back({file.path, std::move(file.runs), peaks_of_meta(file.meta)});
  }
  return csv_of(runs, facts_of(workloads));
}

void check(const ShowOptions& options) {
  const bool tables = options.format != "csv" && options.format != "gbench";
  if (!tables && options.group != "input") {
    throw UsageError(fmt::format("--group {}: {} has a line a run and no groups; leave it out",
                                 options.group, options.format));
  }
  if (options.format == "gbench" && options.files.size() > 1) {
    throw UsageError("--format gbench: its form has one machine; give one file");
  }
}

std::string shown(const ShowOptions& options, const Workloads& workloads) {
  std::vector<ShownFile> files;
  for (const std::string& path : options.files) files.push_back(read_result(path));
  if (options.format == "csv") return csv_of_files(std::move(files), workloads);
  if (options.format == "gbench") {
    return dump_json(benchmark_json(files.front().meta, files.front().runs), 1) + "\n";
  }
  const std::vector<Section> sections = sections_of(files, options, workloads);
  if (options.format == "md") return markdown_of(sections);
  if (options.format == "html") return html_of(sections, "lufact: results");
  return text_of(sections, text_style(STDOUT_FILENO));
}

}  // namespace

Command add_show_command(CLI::App& app, const Workloads& workloads) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("show", "Result files as tables, or for other programs to read");
  command->add_option("files", options->files, "Result files: .json, .json.gz or .json.xz")
      ->required();
  command
      ->add_option("--format", options->format,
                   "table: text; md: Markdown; html: a page; csv: a line a run; gbench: Google "
                   "Benchmark's JSON")
      ->check(one_of({"table", "md", "html", "csv", "gbench"}))
      ->type_name("table|md|html|csv|gbench")
      ->capture_default_str();
  command
      ->add_option("--group", options->group,
                   "A table for each input, its variants side by side, or for each variant, its "
                   "inputs below each other")
      ->check(one_of({"input", "variant"}))
      ->type_name("input|variant")
      ->capture_default_str();
  return {command, [options, &workloads] {
            check(*options);
            fmt::print("{}", shown(*options, workloads));
            return exit_status::ok;
          }};
}

}  // namespace lufact
