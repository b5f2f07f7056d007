// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/run_options.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "app/config/option_types.hpp"
#include "app/config/peer_names.hpp"

namespace lufact {
namespace {

void add_stage_options(CLI::App& command, RunConfig& config) {
  command.add_option("--scaling", config.scaling, "Scaling and matching: mc64 | none");
  command.add_option("--ordering", config.ordering,
                     "Fill-reducing ordering: amd | colamd | natural | btf-amd | metis | "
                     "nd-parallel | nd-gpu | select");
  command
      .add_option("--permutation", config.permutation_file,
                  "File with the ordering, one label per line")
      ->check(CLI::ExistingFile);
  command
      .add_option("--postorder", config.postorder,
                  "Compose the postorder of the elimination tree of A+A'")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command.add_option("--symbolic", config.symbolic, "Symbolic stage; see lufact list");
  command.add_option("--levelize", config.levelize, "Levelization engine; see lufact list");
  command.add_option("--dependency", config.dependency, "Dependency rule: exact | relaxed | glu1");
  command.add_option("--numeric", config.numeric, "Numeric stage; see lufact list");
  command.add_option("--solve", config.solve, "Triangular solves; see lufact list")
      ->capture_default_str();
  command
      .add_option("--symbolic-parts", config.symbolic_parts,
                  "Row ranges with a chunk size of their own")
      ->capture_default_str();
  command.add_flag("--force-unsafe", config.force_unsafe,
                   "Factor with a schedule that is known to be wrong; never ok");
}

void parse_glu_thresholds(const std::string& text, RunConfig& config) {
  if (text == "auto") return config.glu_thresholds.reset();
  std::array<int, 3> widths{};
  const std::vector<std::string> words = CLI::detail::split(text, ',');
  bool good = words.size() == widths.size();
  for (std::size_t k = 0; good && k < widths.size(); ++k) {
    good = CLI::detail::lexical_cast(words[k], widths[k]);
  }
  if (!good) throw CLI::ValidationError("--glu-thresholds", "accepted: auto or A,B,C");
  config.glu_thresholds = widths;
}

void add_glu_options(CLI::App& command, RunConfig& config) {
  add_choice_option<GluMode>(command, "--glu-mode", config.glu_mode,
                             {{"auto", GluMode::automatic},
                              {"small", GluMode::small_block},
                              {"large", GluMode::large_block},
                              {"stream", GluMode::stream}},
                             "Kernel mode of gpu-dense for every level");
  command
      .add_option_function<std::string>(
          "--glu-thresholds",
          [&config](const std::string& text) { parse_glu_thresholds(text, config); },
          "Level widths at which gpu-dense changes its mode, widest first")
      ->type_name("auto|A,B,C")
      ->default_str("auto");
  command.add_option("--parallel-columns", config.parallel_columns,
                     "Columns that gpu-dense, gpu-dense-fixed and gpu-binary-search eliminate at "
                     "the same time, a block each [as many as fit and help]");
}

void add_managed_options(CLI::App& command, RunConfig& config) {
  add_size_option(command, "--um-bytes", config.managed.bytes,
                  "Managed memory of gpu-um and gpu-um-prefetch; none: 80% of what is free");
  command.add_flag("--um-host-start", config.managed.host_start,
                   "Let the host touch every managed page first");
  command.add_flag("--um-evict-between-chunks", config.managed.evict_between_chunks,
                   "Send managed pages back to the host between chunks");
  command.add_flag("--um-allow-oversubscription", config.managed.allow_oversubscription,
                   "Let managed memory exceed what the card has free; can hang a shared machine");
}

void add_input_options(CLI::App& command, RunConfig& config) {
  add_choice_option<SymmetryMode>(
      command, "--symmetry", config.read.symmetry,
      {{"expand", SymmetryMode::expand}, {"stored", SymmetryMode::stored}},
      "Mirror a symmetric file, or take it as it is stored");
  add_choice_option<ExplicitZeros>(command, "--explicit-zeros", config.read.explicit_zeros,
                                   {{"drop", ExplicitZeros::drop}, {"keep", ExplicitZeros::keep}},
                                   "Entries whose stored value is 0");
  add_choice_option<PatternValues>(
      command, "--pattern-values", config.read.pattern_values,
      {{"dominant", PatternValues::dominant}, {"ones", PatternValues::ones}},
      "Values of a file that stores none");
  command.add_option("--zero-diagonals", config.read.zero_diagonals,
                     "A missing or zero diagonal entry becomes this value");
  command.add_flag("--without-banner", config.read.without_banner,
                   "Accept a file with no Matrix Market banner line");
  command.add_flag("--allow-singular", config.allow_singular,
                   "Go on with a structurally singular matrix");
  command
      .add_option("--profile", config.profile,
                  "paper: --symmetry stored --explicit-zeros keep --precision float")
      ->check(CLI::IsMember({"paper"}));
}

void add_numeric_options(CLI::App& command, RunConfig& config) {
  add_choice_option<Precision>(command, "--precision", config.precision,
                               {{"double", Precision::float64}, {"float", Precision::float32}},
                               "Of the factors; refinement is in double");
  add_choice_option<Pivoting>(
      command, "--pivoting", config.pivoting,
      {{"static", Pivoting::fixed_rows}, {"diagonal-block", Pivoting::diagonal_block}},
      "Rows that a pivot may come from: its own, or any in its diagonal block of a front");
  command.add_option("--pivot-threshold", config.pivot_threshold,
                     "Smallest pivot, relative to the scaled matrix's largest row sum "
                     "[1e-13 double, 1e-6 float]");
  add_choice_option<VerifyLevel>(command, "--verify", config.verify,
                                 {{"residual", VerifyLevel::residual},
                                  {"full", VerifyLevel::full},
                                  {"none", VerifyLevel::none}},
                                 "The solution, every product too, or nothing");
  command.add_option("--threshold", config.threshold,
                     "Largest backward error that is ok; a tenth is refined to "
                     "[1e-12; float 1e-10]");
  command.add_option("--rhs", config.rhs, "Number of right-hand sides")->capture_default_str();
  command.add_option("--rhs-file", config.rhs_file, "Right-hand sides from a file");
  command.add_option("--write-solution", config.solution_file, "Write the solution to this file");
  command.add_option("--seed", config.seed, "Of generated values and right-hand sides")
      ->capture_default_str();
}

void add_resource_options(CLI::App& command, RunConfig& config) {
  add_size_option(command, "--device-memory-limit", config.device_memory_limit,
                  "Device memory that lufact may use, such as 16GiB; none: all that is free");
  add_size_option(command, "--host-memory-limit", config.host_memory_limit,
                  "Host memory a run may use, such as 8GiB; none: no limit");
  command.add_option("--timeout", config.timeout_s, "Seconds a run may take");
  command.add_option("--threads", config.threads, "OpenMP threads; 0: all")->capture_default_str();
  command.add_option("--device", config.device, "CUDA device number")->capture_default_str();
}

void add_measure_options(CLI::App& command, RunConfig& config) {
  command.add_option("--warmup", config.warmup, "Repetitions before those recorded")
      ->capture_default_str();
  command.add_option("--repetitions", config.repetitions, "Recorded repetitions")
      ->capture_default_str();
  command
      .add_option("--refactor", config.refactor,
                  "Refactorizations with new values after the last repetition")
      ->capture_default_str();
  command.add_option("--expect-refactorizations", config.expect_refactorizations,
                     "What ordering choices plan for [the value of --refactor]");
  add_choice_option<Until>(command, "--until", config.until,
                           {{"solve", Until::solve},
                            {"numeric", Until::numeric},
                            {"levelize", Until::levelize},
                            {"symbolic", Until::symbolic},
                            {"order", Until::order}},
                           "Last step");
  command.add_flag("--record-profile", config.record_profile,
                   "Put level and frontier profiles into the record");
  command.add_flag("--count-page-faults", config.count_page_faults,
                   "Count unified-memory page faults in a repetition of their own");
}

void add_peer_option(CLI::App& command, RunConfig& config) {
  command
      .add_option_function<std::vector<std::string>>(
          "--peer",
          [&config](const std::vector<std::string>& arguments) {
            for (const std::string& argument : arguments) {
              for (std::string& peer : split_peers(argument)) {
                config.peers.push_back(std::move(peer));
              }
            }
          },
          "Foreign solver(s) to run beside the modes, comma-separated; see lufact list; "
          "exec:COMMAND for a program")
      ->type_name("NAME,...|exec:COMMAND")
      ->take_all()
      ->allow_extra_args(false);
}

// Options given on the command line win over the profile.
void apply_profile(const CLI::App& command, RunConfig& config) {
  if (config.profile != "paper") return;
  if (command.count("--symmetry") == 0) config.read.symmetry = SymmetryMode::stored;
  if (command.count("--explicit-zeros") == 0) config.read.explicit_zeros = ExplicitZeros::keep;
  if (command.count("--precision") == 0) config.precision = Precision::float32;
}

}  // namespace

void add_variant_options(CLI::App& command, RunConfig& config) {
  add_peer_option(command, config);
  add_stage_options(command, config);
  add_glu_options(command, config);
  add_managed_options(command, config);
  add_input_options(command, config);
  add_numeric_options(command, config);
  add_resource_options(command, config);
  add_measure_options(command, config);
}

void complete_config(const CLI::App& command, RunConfig& config) {
  apply_profile(command, config);
  config.read.seed = config.seed;
  config.read.threads = config.threads;
  check(config);
  check_peers(config.peers);
}

}  // namespace lufact
