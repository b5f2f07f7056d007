// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/consistency.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "core/report/batch_figures.hpp"
#include "core/report/dense_figures.hpp"
#include "core/report/gsofa_consistency.hpp"
#include "core/report/measurement_quality.hpp"
#include "core/report/memory_consistency.hpp"
#include "core/report/profile_bins.hpp"
#include "core/report/record_json.hpp"
#include "core/report/run_header.hpp"
#include "core/report/summary.hpp"

namespace lufact {
namespace {

using nlohmann::json;
constexpr double timing_slack_relative = 0.01, timing_slack_s = 1e-4;
constexpr double rounding = 1e-9;

// The sections that one workload or another has.
constexpr std::array<std::string_view, 12> all_sections{
    "matrix",  "pipeline", "factors",    "peer",         "unified_memory", "numeric",
    "profile", "gsofa",    "supernodes", "distribution", "batch",          "dense"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool agree(double a, double b) {
  return std::abs(a - b) <= rounding * std::max({std::abs(a), std::abs(b), 1e-3});
}

class Checker {
 public:
  explicit Checker(const KnownWorkloads& workloads) : workloads_(workloads) {}

  void run(const json& run, const std::string& where) {
    const std::string name =
        is_of_first_schema(run) ? "sparse" : run.at("workload").get<std::string>();
    const auto facts = std::ranges::find(workloads_, name, &WorkloadFacts::name);
    if (facts == workloads_.end()) return say(where, "workload {} is not known here", name);
    sections(run, *facts, where);
    phases(run.at("setup").at("phases"), where + ".setup");
    samples(run.at("samples"), *facts, false, where + ".samples");
    samples(run.at("refactor_samples"), *facts, has_marked_phases(run),
            where + ".refactor_samples");
    summary(run.at("samples"), run.at("summary"), where + ".summary");
    summary(run.at("refactor_samples"), run.at("refactor_summary"), where + ".refactor_summary");
    quality(run, where);
    outcome(run, where);
    input(run, where);
    if (has_section(run, "pipeline")) peer(run, where);
    if (has_section(run, "factors") && has_section(run, "matrix")) factors(run, where);
    for (const std::string& fault : memory_violations(run.at("memory"))) {
      violations_.push_back(where + fault);
    }
    if (has_section(run, "profile")) profile(run.at("profile"), where + ".profile");
    for (const std::string& fault : gsofa_violations(run)) violations_.push_back(where + fault);
    if (has_section(run, "batch")) batch(run, where + ".batch");
    if (has_section(run, "dense")) dense(run, where + ".dense");
  }

  void comparisons(const json& file) {
    std::set<std::string> ids;
    for (const json& run : file.at("runs")) ids.insert(run.at("id").get<std::string>());
    const json& list = file.at("comparisons");
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (const char* key : {"base_id", "id"}) {
        if (ids.count(list[k].at(key).get<std::string>()) == 0) {
          say(fmt::format("comparisons[{}]", k), "{} is the id of no run of this file", key);
        }
      }
    }
  }

  void sweeps(const json& runs) {
    std::set<std::array<std::string, 3>> seen;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (!runs[k].contains("sweep") || runs[k].at("sweep").is_null()) continue;
      const json& sweep = runs[k].at("sweep");
      const auto matrix = sweep.at("matrix").get<std::string>();
      const auto variant = sweep.at("variant").get<std::string>();
      if (!seen.insert({sweep.at("name").get<std::string>(), matrix, variant}).second) {
        say(fmt::format("runs[{}].sweep", k), "variant {} occurs twice with matrix {}", variant,
            matrix);
      }
    }
  }

  // Those of batches follow from other runs of the file.
  void copy_fractions(const json& runs) {
    std::vector<RunRecord> batches;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (!has_section(runs[k], "batch")) continue;
      batches.push_back(run_from_json(runs[k]));
      places.push_back(k);
    }
    set_copy_fractions(batches);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      same_number(runs[places[b]].at("batch"), "copy_fraction", batches[b].batch->copy_fraction,
                  fmt::format("runs[{}].batch", places[b]));
    }
  }

  std::vector<std::string> take() { return std::move(violations_); }

 private:
  template <class... Args>
  void say(const std::string& where, fmt::format_string<Args...> format, Args&&... args) {
    violations_.push_back(where + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  void sections(const json& run, const WorkloadFacts& facts, const std::string& where) {
    for (const std::string_view section : all_sections) {
      const bool there = has_section(run, section), needed = is_among(facts.sections, section);
      if (needed && !there) say(where, "a {} run without {}", facts.name, section);
      if (there && !needed && !is_among(facts.optional_sections, section)) {
        say(where, "a {} run with {}", facts.name, section);
      }
    }
  }

  // What the header says of a matrix is what its section says.
  void input(const json& run, const std::string& where) {
    if (!run.contains("input") || !has_section(run, "matrix")) return;
    for (const char* key : {"name", "path", "sha256"}) {
      if (run.at("input").at(key) != run.at("matrix").at(key)) {
        say(where, "{} of input is not that of matrix", key);
      }
    }
  }

  // Inside a phase of the device the host runs ahead of it, so that what the clock alone has timed
  // may begin before the device has come to the phase that it is a part of.
  void phases(const json& list, const std::string& where) {
    std::map<std::string, double> seconds, seconds_of_parts, seconds_by_clock;
    std::set<std::string> by_marks;
    for (const json& phase : list) {
      const auto name = phase.at("name").get<std::string>();
      const auto wall_s = phase.at("wall_s").get<double>();
      if (!seconds.emplace(name, wall_s).second) say(where, "phase {} occurs twice", name);
      const std::size_t slash = name.rfind('/');
      if (slash == std::string::npos) continue;
      const bool marked = !phase.at("gpu_s").is_null();
      if (marked) by_marks.insert(name);
      (marked ? seconds_of_parts : seconds_by_clock)[name.substr(0, slash)] += wall_s;
    }
    for (const auto& [parent, parts] : seconds_by_clock)
      seconds_of_parts[parent] += by_marks.contains(parent) ? 0 : parts;
    for (const auto& [parent, parts] : seconds_of_parts) {
      const auto found = seconds.find(parent);
      if (found == seconds.end()) {
        say(where, "phase {} has parts but is not there", parent);
      } else if (parts > found->second * (1 + timing_slack_relative) + timing_slack_s) {
        say(where, "the parts of phase {} take {} s, the phase itself {} s", parent, parts,
            found->second);
      }
    }
  }

  void samples(const json& list, const WorkloadFacts& facts, bool marked,
               const std::string& where) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      sample(list[k], facts.counted_phases, marked, fmt::format("{}[{}]", where, k));
    }
  }

  void sample(const json& sample, std::span<const std::string_view> counted, bool marked,
              const std::string& where) {
    phases(sample.at("phases"), where);
    double sum = 0;
    for (const json& phase : sample.at("phases")) {
      const auto name = phase.at("name").get<std::string>();
      if (is_among(counted, name)) sum += phase.at("wall_s").get<double>();
    }
    const double total = sample.at("total_s").get<double>();
    if (marked) sum += sample.at("unattributed_s").get<double>();
    if (!agree(total, sum)) {
      say(where, "total_s is {}, {} add up to {}", total, fmt::join(counted, ", "), sum);
    }
  }

  void summary(const json& samples, const json& written, const std::string& where) {
    std::vector<Sample> parsed;
    for (const json& sample : samples) parsed.push_back(sample_from_json(sample));
    const json expected = summary_json(parsed);
    for (const auto& [name, values] : expected.items()) {
      if (!written.contains(name) || !same_summary(values, written.at(name))) {
        say(where, "{} does not agree with the samples", name);
      }
    }
    for (const auto& [name, values] : written.items()) {
      if (!expected.contains(name)) say(where, "{} is in no sample", name);
    }
  }

  static bool same_summary(const json& expected, const json& written) {
    if (expected.is_null() || written.is_null()) return expected.is_null() == written.is_null();
    return std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& entry) {
      return agree(entry.value().template get<double>(),
                   written.at(entry.key()).template get<double>());
    });
  }

  void outcome(const json& run, const std::string& where) {
    const bool ok = run.at("outcome") == "ok";
    if (ok != run.at("error").is_null()) {
      say(where, "outcome {} {}", run.at("outcome").get<std::string>(),
          ok ? "with an error" : "without an error that says why");
    }
    if (ok && !warns(run, "unverified")) verified(run, where + ".verification");
  }

  void peer(const json& run, const std::string& where) {
    const bool named = !run.at("pipeline").at("peer").is_null();
    if (named != (run.at("mode") == "peer")) {
      say(where, "mode {} {}", run.at("mode").get<std::string>(),
          named ? "names a peer" : "without the name of the peer");
    }
    const bool described = run.contains("peer") && !run.at("peer").is_null();
    if (named && run.at("outcome") == "ok" && !described) {
      say(where, "a peer that is not described");
    } else if (!named && described) {
      say(where, "our own stages are described as a peer");
    }
    if (!named) return;
    for (const json& sample : run.at("samples")) {
      for (const json& phase : sample.at("phases")) fused(run.at("peer"), phase, where);
    }
  }

  void fused(const json& peer, const json& phase, const std::string& where) {
    const auto name = phase.at("name").get<std::string>();
    if (!peer.is_null() && peer.at("fused").contains(name)) {
      say(where, "phase {} has times although another one does its work", name);
    }
  }

  static bool warns(const json& run, std::string_view code) {
    const json& warnings = run.at("warnings");
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const json& warning) { return warning.at("code") == code; });
  }

  void verified(const json& run, const std::string& where) {
    const json& verification = run.at("verification");
    if (verification.is_null() || !verification.at("passed").get<bool>()) {
      say(where, "outcome ok without a verification that passed");
      return;
    }
    const json& error = verification.at("backward_error");
    const json& threshold = verification.at("threshold");
    if (run.at("until") == "solve" && (error.is_null() || threshold.is_null())) {
      say(where, "outcome ok of a solution without backward_error and threshold");
    } else if (!error.is_null() && !threshold.is_null() &&
               error.get<double>() > threshold.get<double>()) {
      say(where, "outcome ok with backward_error {} above the threshold {}", error.get<double>(),
          threshold.get<double>());
    }
  }

  static bool all_known(std::initializer_list<const json*> values) {
    return std::none_of(values.begin(), values.end(), [](const json* v) { return v->is_null(); });
  }

  void factors(const json& run, const std::string& where) {
    const json& factors = run.at("factors");
    if (factors.at("pattern") != "exact") return;
    const json& nnz = run.at("matrix").at("nnz");
    const json& added = run.at("matrix").at("missing_diagonals_added");
    const json &nnz_l = factors.at("nnz_l"), &nnz_u = factors.at("nnz_u");
    if (!all_known({&nnz, &nnz_l, &nnz_u})) return;
    const auto nnz_lu = nnz_l.get<Offset>() + nnz_u.get<Offset>();
    const json& fill_in = factors.at("fill_in");
    if (all_known({&fill_in, &added}) &&
        fill_in.get<Offset>() != nnz_lu - nnz.get<Offset>() - added.get<Offset>()) {
      say(where + ".factors", "fill_in {} is not nnz_l + nnz_u - nnz - missing_diagonals_added",
          fill_in.get<Offset>());
    }
    const json& ratio = factors.at("fill_ratio");
    if (!ratio.is_null() &&
        !agree(ratio.get<double>() * nnz.get<double>(), static_cast<double>(nnz_lu))) {
      say(where + ".factors", "fill_ratio {} is not (nnz_l + nnz_u) / nnz", ratio.get<double>());
    }
  }

  // What follows from the sizes and the samples.
  void batch(const json& run, const std::string& where) {
    RunRecord record = run_from_json(run);
    set_batch_figures(record);
    const json& written = run.at("batch");
    Offset count = 0;
    for (const BatchSize& size : record.batch->sizes) count += size.count;
    if (count != record.batch->count) {
      say(where, "count is {}, those of sizes add up to {}", record.batch->count, count);
    }
    same_number(written, "flops", record.batch->flops, where);
    same_number(written, "useful_bytes", record.batch->useful_bytes, where);
    same_number(written, "flops_per_s", record.batch->flops_per_s, where);
    same_number(written, "bytes_per_s", record.batch->bytes_per_s, where);
  }

  // What follows from m, n, rhs and the samples, and what must be there together.
  void dense(const json& run, const std::string& where) {
    RunRecord record = run_from_json(run);
    for (const std::string& fault : dense_violations(record)) say(where, "{}", fault);
    set_dense_figures(record);
    same_number(run.at("dense"), "flops", record.dense->flops, where);
    same_number(run.at("dense"), "flops_per_s", record.dense->flops_per_s, where);
  }

  void same_number(const json& section, const char* key, std::optional<double> expected,
                   const std::string& where) {
    const json& written = section.at(key);
    if (written.is_null() != !expected || (expected && !agree(*expected, written.get<double>()))) {
      say(where, "{} is {}, and follows to be {}", key, written.dump(),
          expected ? fmt::format("{}", *expected) : "null");
    }
  }

  // What follows from the samples of host state and sampling.
  void quality(const json& run, const std::string& where) {
    if (!has_section(run, "host_state") && !has_section(run, "sampling")) return;
    RunRecord record = run_from_json(run);
    set_quality_figures(record);
    if (has_section(run, "host_state")) {
      const json& written = run.at("host_state");
      const HostState& expected = *record.host_state;
      const std::string place = where + ".host_state";
      same_number(written, "foreign_processors", expected.foreign_processors, place);
      same_number(written, "stolen_share", expected.stolen_share, place);
      same_number(written, "waited_share", expected.waited_share, place);
      same_number(written, "throttled_share", expected.throttled_share, place);
    }
    if (has_section(run, "sampling")) {
      const json& written = run.at("sampling");
      same_number(written, "spread_percent", record.sampling->spread_percent, where + ".sampling");
      same_number(written, "noise_percent", record.sampling->noise_percent, where + ".sampling");
    }
  }

  void profile(const json& profile, const std::string& where) {
    for (const auto& [table, lists] : profile.items()) lists_of_table(lists, table, where);
  }

  // A table may hold another one, with lists of a length of their own.
  void lists_of_table(const json& lists, const std::string& table, const std::string& where) {
    std::set<std::size_t> lengths;
    for (const auto& [key, list] : lists.items()) {
      if (list.is_object()) {
        lists_of_table(list, table + "." + key, where);
      } else {
        lengths.insert(list.size());
      }
    }
    if (lengths.size() > 1) say(where, "the lists of {} differ in length", table);
    if (!lengths.empty() && *lengths.rbegin() > max_profile_entries) {
      say(where, "a list of {} has more than {} entries", table, max_profile_entries);
    }
  }

  const KnownWorkloads& workloads_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> consistency_violations(const json& file, const KnownWorkloads& workloads) {
  Checker checker(workloads);
  const json& runs = file.at("runs");
  for (std::size_t k = 0; k < runs.size(); ++k) checker.run(runs[k], fmt::format("runs[{}]", k));
  checker.sweeps(runs);
  checker.copy_fractions(runs);
  checker.comparisons(file);
  return checker.take();
}

std::vector<std::string> run_consistency_violations(const json& run,
                                                    const KnownWorkloads& workloads,
                                                    const std::string& where) {
  Checker checker(workloads);
  checker.run(run, where);
  return checker.take();
}

}  // namespace lufact
