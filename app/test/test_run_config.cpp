// SPDX-License-Identifier: BSD-3-Clause
// The JSON form of a configuration, which ids are hashed from, as it was before options were
// declared once: keys, order, values.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/config/run_options.hpp"
#include "core/base/error.hpp"

namespace lufact::test {
namespace {

using nlohmann::ordered_json;

RunConfig parsed(std::vector<std::string> words) {
  RunConfig config;
  CLI::App parser;
  add_run_options(parser, config, {});
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  parser.parse(std::move(words));
  complete_config(parser, config);
  return config;
}

struct Case {
  std::vector<std::string> words;
  const char* json;
};

const Case defaults{{"--matrix", "g.mtx", "--output", "-"}, R"(
    {"matrices": ["g.mtx"], "modes": ["auto"], "peers": [], "scaling": null, "ordering": null,
    "symbolic": null, "levelize": null, "dependency": null, "numeric": null, "permutation": null,
    "profile": null, "rhs_file": null, "write_solution": null, "output": "-", "solve": "auto",
    "postorder": "auto", "until": "solve", "symmetry": "expand", "explicit_zeros": "drop",
    "pattern_values": "dominant", "zero_diagonals": null, "without_banner": false,
    "allow_singular": false, "precision": "double", "pivoting": "static", "pivot_threshold": null,
    "device_memory_limit": null, "host_memory_limit": null, "timeout_s": null, "threads": 0,
    "device": 0, "warmup": 1, "repetitions": 5, "refactor": 0, "expect_refactorizations": 0,
    "rhs": 1, "seed": 1, "verify": "residual", "threshold": null, "record_profile": false,
    "count_page_faults": false, "count_device_memory": false,
    "symbolic_parts": 2, "um_bytes": null, "um_host_start": false,
    "um_evict_between_chunks": false, "um_allow_oversubscription": false, "glu_mode": "auto",
    "glu_thresholds": null, "parallel_columns": null, "force_unsafe": false, "quiet": false,
    "min_time_s": null, "max_noise_percent": null, "max_repetitions": null, "resume": false,
    "systems": null, "values": "host", "phases": "waits", "write_permutation": null,
    "replans": 8, "systems_file": null, "transpose": false,
    "devices": [], "ranks": null, "launcher": null, "exchange": null, "symbolic_words": null,
    "glu_streams": 0, "factors": "auto",
    "supernodes": "auto", "supernode_size": null, "gsofa_chunk_size": null, "gsofa_windows": null,
    "gsofa_fill_first": null, "gsofa_layout": null, "gsofa_concurrency": null, "gsofa_space": null,
    "gsofa_queue": null, "gsofa_budget": null, "gsofa_intra": null, "gsofa_inter": null,
    "gsofa_shared": null, "gsofa_virtual": null})"};

const Case full{{"--matrix",
                 "a.mtx,b.mtx",
                 "--mode",
                 "cpu,ooc",
                 "--peer",
                 "klu,umfpack",
                 "--scaling",
                 "none",
                 "--symbolic",
                 "cpu-gp-pruned",
                 "--levelize",
                 "cpu",
                 "--dependency",
                 "relaxed",
                 "--numeric",
                 "cpu",
                 "--solve",
                 "level",
                 "--postorder",
                 "on",
                 "--permutation",
                 "/dev/null",
                 "--profile",
                 "paper",
                 "--rhs-file",
                 "/dev/null",
                 "--pattern-values",
                 "ones",
                 "--zero-diagonals",
                 "0.5",
                 "--without-banner",
                 "--allow-singular",
                 "--pivot-threshold",
                 "1e-5",
                 "--device-memory-limit",
                 "1GiB",
                 "--host-memory-limit",
                 "2GiB",
                 "--timeout",
                 "30",
                 "--threads",
                 "2",
                 "--warmup",
                 "3",
                 "--repetitions",
                 "4",
                 "--refactor",
                 "2",
                 "--seed",
                 "9",
                 "--verify",
                 "full",
                 "--threshold",
                 "1e-9",
                 "--record-profile",
                 "--count-page-faults",
                 "--count-device-memory",
                 "--symbolic-parts",
                 "3",
                 "--um-bytes",
                 "1MiB",
                 "--um-host-start",
                 "--um-evict-between-chunks",
                 "--um-allow-oversubscription",
                 "--glu-mode",
                 "large",
                 "--glu-thresholds",
                 "30,20,10",
                 "--parallel-columns",
                 "12",
                 "--force-unsafe",
                 "--quiet",
                 "--output",
                 "-"},
                R"(
    {"matrices": ["a.mtx", "b.mtx"], "modes": ["cpu", "ooc"], "peers": ["klu", "umfpack"],
    "scaling": "none", "ordering": null, "symbolic": "cpu-gp-pruned", "levelize": "cpu",
    "dependency": "relaxed", "numeric": "cpu", "permutation": "/dev/null", "profile": "paper",
    "rhs_file": "/dev/null", "write_solution": null, "output": "-", "solve": "level",
    "postorder": "on", "until": "solve", "symmetry": "stored", "explicit_zeros": "keep",
    "pattern_values": "ones", "zero_diagonals": 0.5, "without_banner": true, "allow_singular": true,
    "precision": "float", "pivoting": "static", "pivot_threshold": 1e-05,
    "device_memory_limit": 1073741824, "host_memory_limit": 2147483648, "timeout_s": 30.0,
    "threads": 2, "device": 0, "warmup": 3, "repetitions": 4, "refactor": 2,
    "expect_refactorizations": 2, "rhs": 1, "seed": 9, "verify": "full", "threshold": 1e-09,
    "record_profile": true, "count_page_faults": true, "count_device_memory": true,
    "symbolic_parts": 3, "um_bytes": 1048576,
    "um_host_start": true, "um_evict_between_chunks": true, "um_allow_oversubscription": true,
    "glu_mode": "large", "glu_thresholds": [30, 20, 10], "parallel_columns": 12,
    "force_unsafe": true, "quiet": true,
    "min_time_s": null, "max_noise_percent": null, "max_repetitions": null, "resume": false,
    "systems": null, "values": "host", "phases": "waits", "write_permutation": null,
    "replans": 8, "systems_file": null, "transpose": false,
    "devices": [], "ranks": null, "launcher": null, "exchange": null, "symbolic_words": null,
    "glu_streams": 0, "factors": "auto",
    "supernodes": "auto", "supernode_size": null, "gsofa_chunk_size": null, "gsofa_windows": null,
    "gsofa_fill_first": null, "gsofa_layout": null, "gsofa_concurrency": null, "gsofa_space": null,
    "gsofa_queue": null, "gsofa_budget": null, "gsofa_intra": null, "gsofa_inter": null,
    "gsofa_shared": null, "gsofa_virtual": null})"};

// What `full` cannot have set beside its other options.
const Case others{{"--matrix",
                   "absent.mtx",
                   "--mode",
                   "fast-cpu",
                   "--ordering",
                   "metis",
                   "--pivoting",
                   "diagonal-block",
                   "--symmetry",
                   "stored",
                   "--explicit-zeros",
                   "keep",
                   "--rhs",
                   "3",
                   "--device",
                   "2",
                   "--until",
                   "numeric",
                   "--expect-refactorizations",
                   "7",
                   "--output",
                   "-"},
                  R"(
    {"matrices": ["absent.mtx"], "modes": ["fast-cpu"], "peers": [], "scaling": null,
    "ordering": "metis", "symbolic": null, "levelize": null, "dependency": null, "numeric": null,
    "permutation": null, "profile": null, "rhs_file": null, "write_solution": null,
    "output": "-", "solve": "auto", "postorder": "auto", "until": "numeric", "symmetry": "stored",
    "explicit_zeros": "keep", "pattern_values": "dominant", "zero_diagonals": null,
    "without_banner": false, "allow_singular": false, "precision": "double", "pivoting":
    "diagonal-block", "pivot_threshold": null, "device_memory_limit": null,
    "host_memory_limit": null,
    "timeout_s": null, "threads": 0, "device": 2, "warmup": 1, "repetitions": 5, "refactor": 0,
    "expect_refactorizations": 7, "rhs": 3, "seed": 1, "verify": "residual", "threshold": null,
    "record_profile": false, "count_page_faults": false, "count_device_memory": false,
    "symbolic_parts": 2, "um_bytes": null,
    "um_host_start": false, "um_evict_between_chunks": false, "um_allow_oversubscription": false,
    "glu_mode": "auto", "glu_thresholds": null, "parallel_columns": null, "force_unsafe": false,
    "quiet": false,
    "min_time_s": null, "max_noise_percent": null, "max_repetitions": null, "resume": false,
    "systems": null, "values": "host", "phases": "waits", "write_permutation": null,
    "replans": 8, "systems_file": null, "transpose": false,
    "devices": [], "ranks": null, "launcher": null, "exchange": null, "symbolic_words": null,
    "glu_streams": 0, "factors": "auto",
    "supernodes": "auto", "supernode_size": null, "gsofa_chunk_size": null, "gsofa_windows": null,
    "gsofa_fill_first": null, "gsofa_layout": null, "gsofa_concurrency": null, "gsofa_space": null,
    "gsofa_queue": null, "gsofa_budget": null, "gsofa_intra": null, "gsofa_inter": null,
    "gsofa_shared": null, "gsofa_virtual": null})"};

class RunConfigJson : public testing::TestWithParam<const Case*> {};

TEST_P(RunConfigJson, IsWhatItWas) {
  const RunConfig config = parsed(GetParam()->words);
  EXPECT_EQ(to_json(config).dump(), ordered_json::parse(GetParam()->json).dump());
}

TEST_P(RunConfigJson, ComesBackWhole) {
  const RunConfig config = parsed(GetParam()->words);
  const RunConfig again = run_config_from_json(to_json(config));
  EXPECT_EQ(to_json(again).dump(), to_json(config).dump());
  EXPECT_EQ(read_options(again).seed, config.seed);
  EXPECT_EQ(read_options(again).threads, config.threads);
}

TEST_P(RunConfigJson, IdLeavesOutWhatDoesNotDecide) {
  const RunConfig config = parsed(GetParam()->words);
  ordered_json expected = ordered_json::parse(GetParam()->json);
  for (const char* key : {"matrices", "modes", "peers", "output", "write_solution",
                          "write_permutation", "resume", "quiet", "timeout_s", "host_memory_limit",
                          "record_profile", "count_page_faults", "count_device_memory"}) {
    expected.erase(key);
  }
  // At their defaults.
  for (const char* later : {"values", "phases", "systems_file", "transpose", "exchange"}) {
    expected.erase(later);
  }
  EXPECT_EQ(identity_options(config).dump(), expected.dump());
}

INSTANTIATE_TEST_SUITE_P(Cases, RunConfigJson, testing::Values(&defaults, &full, &others));

TEST(RunConfig, TellsTheStagesEveryOption) {
  const StageOptions stage = stage_options(parsed(full.words));
  EXPECT_EQ(stage.precision, Precision::float32);
  EXPECT_EQ(stage.pivot_threshold, 1e-5);
  EXPECT_EQ(stage.permutation_file, "/dev/null");
  EXPECT_EQ(stage.threads, 2);
  EXPECT_EQ(stage.expect_refactorizations, 2);
  EXPECT_EQ(stage.symbolic_parts, 3);
  EXPECT_EQ(stage_options(RunConfig{}).pivot_threshold, 1e-13);
}

// The text of the refusal; empty where there is none.
std::string refusal(std::vector<std::string> words) {
  words.insert(words.begin(), {"--matrix", "g.mtx"});
  try {
    parsed(std::move(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(RunConfig, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({"--repetitions", "0"}), "--repetitions is out of range; accepted: 1 or more");
  EXPECT_EQ(refusal({"--warmup=-1"}), "--warmup is out of range; accepted: 0 or more");
  EXPECT_EQ(refusal({"--expect-refactorizations=-1"}),
            "--expect-refactorizations is out of range; accepted: 0 or more");
  EXPECT_EQ(refusal({"--rhs", "0"}), "--rhs is out of range; accepted: 1 or more");
  EXPECT_EQ(refusal({"--threads=-1"}), "--threads is out of range; accepted: 1 to 1024; 0 for all");
  EXPECT_EQ(refusal({"--threads=99999"}),
            "--threads is out of range; accepted: 1 to 1024; 0 for all");
  EXPECT_EQ(refusal({"--timeout", "0"}),
            "--timeout is out of range; accepted: seconds above 0, at most 1e9");
  EXPECT_EQ(refusal({"--parallel-columns", "0"}),
            "--parallel-columns is out of range; accepted: 1 or more");
  EXPECT_EQ(refusal({"--glu-thresholds", "1,2,3"}),
            "--glu-thresholds is out of range; accepted: auto, or three level widths A,B,C with A "
            ">= B >= C >= 0");
}

TEST(RunConfig, TakesMatricesAsPlainArguments) {
  const RunConfig config =
      parsed({"a.mtx", "--mode", "cpu,ooc", "b.mtx,c.mtx", "--quiet", "d.mtx"});
  EXPECT_EQ(config.matrices, (std::vector<std::string>{"a.mtx", "b.mtx", "c.mtx", "d.mtx"}));
  EXPECT_EQ(config.modes, (std::vector<std::string>{"cpu", "ooc"}));
  EXPECT_EQ(parsed({"--matrix", "a.mtx", "b.mtx"}).matrices.size(), 2u);
  EXPECT_THROW(parsed({"--mode", "cpu"}), CLI::RequiredError);
}

TEST(RunConfig, OptionsOfTheInvocationAreNoneOfAVariant) {
  RunConfig config;
  CLI::App parser;
  add_variant_options(parser, config);
  for (const char* name : {"--matrix", "--mode", "--output", "--quiet"}) {
    EXPECT_EQ(parser.get_option_no_throw(name), nullptr) << name;
  }
  EXPECT_NE(parser.get_option_no_throw("--peer"), nullptr);
}

}  // namespace
}  // namespace lufact::test
