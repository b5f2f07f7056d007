// SPDX-License-Identifier: BSD-3-Clause
// The options of the sparse workload: its stages, how a matrix is read, right-hand sides and
// refactorizations.
#pragma once
#include <optional>
#include <string>

#include "app/config/gsofa_config.hpp"
#include "app/config/option.hpp"
#include "core/matrix/facts.hpp"
#include "core/pipeline/options.hpp"
#include "core/pipeline/refactoring.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

struct SparseConfig {
  int refactor = 0;
  std::optional<int> expect_refactorizations;  // default: refactor
  Refactoring refactoring;
  Until until = Until::solve;
  // In a repetition of its own each, never a timed one.
  bool count_page_faults = false, count_device_memory = false;
  // Overrides of the mode's preset; empty: as the mode says.
  std::optional<std::string> scaling, ordering, symbolic, levelize, dependency, numeric;
  std::string solve = "auto";
  std::string postorder = "auto";
  std::optional<std::string> permutation_file;
  std::optional<double> pivot_threshold;
  int replans = 8;
  std::optional<int> systems;               // with one pattern; empty: one, as the papers have it
  std::optional<std::string> systems_file;  // their values
  int rhs = 1;
  bool transpose = false;
  std::optional<std::string> rhs_file, solution_file, written_permutation;
  std::optional<std::string> profile;  // "paper"
  // As far as options of their own fill them; read_options() and stage_options() add the rest.
  ReadOptions given_read;
  StageOptions given_stage;
  GsofaConfig gsofa;

  int effective_expect_refactorizations() const {
    return expect_refactorizations.value_or(refactor);
  }
};

// The stages of a run, and how exactly they factor.
void visit_pipeline_options(auto&& option, Is<SparseConfig> auto& config) {
  using namespace option_groups;
  option(Option{"--scaling", "scaling", pipeline, "Scaling and matching"}, config.scaling);
  option(Option{"--ordering", "ordering", pipeline, "Fill-reducing ordering"}, config.ordering);
  option(Option{"--permutation", "permutation", pipeline,
                "File with the ordering, one label per line"},
         config.permutation_file, ExistingFile{});
  option(Option{"--postorder", "postorder", pipeline,
                "Compose the postorder of the elimination tree of A+A'"},
         config.postorder, OneOf{{"auto", "on", "off"}});
  option(Option{"--symbolic", "symbolic", pipeline, "Symbolic stage"}, config.symbolic);
  option(Option{"--levelize", "levelize", pipeline, "Levelization engine"}, config.levelize);
  option(Option{"--dependency", "dependency", pipeline, "Dependency rule"}, config.dependency);
  option(Option{"--numeric", "numeric", pipeline, "Numeric stage"}, config.numeric);
  option(Option{"--solve", "solve", pipeline, "Triangular solves"}, config.solve);
  option(Option{"--pivoting", "pivoting", pipeline,
                "Rows that a pivot may come from: its own, or any in its diagonal block of a "
                "front"},
         config.given_stage.pivoting);
  option(Option{"--pivot-threshold", "pivot_threshold", pipeline,
                "Smallest pivot, relative to the scaled matrix's largest row sum "
                "[1e-13 double, 1e-6 float]"},
         config.pivot_threshold, at_least(0, "0 or more"));
  option(Option{"--replans", "replans", pipeline,
                "Times that a run of fronts is planned again, with weak pivots later, where "
                "refinement stagnates"},
         config.replans, between(0, 100, "0 to 100"));
  option(Option{"--force-unsafe", "force_unsafe", pipeline,
                "Factor with a schedule that is known to be wrong; never ok"},
         config.given_stage.force_unsafe);
}

void visit_input_options(auto&& option, Is<SparseConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--symmetry", "symmetry", input,
                "Mirror a symmetric file, or take it as it is stored"},
         config.given_read.symmetry);
  option(Option{"--explicit-zeros", "explicit_zeros", input, "Entries whose stored value is 0"},
         config.given_read.explicit_zeros);
  option(Option{"--pattern-values", "pattern_values", input, "Values of a file that stores none"},
         config.given_read.pattern_values);
  option(Option{"--zero-diagonals", "zero_diagonals", input,
                "A missing or zero diagonal entry becomes this value"},
         config.given_read.zero_diagonals);
  option(Option{"--without-banner", "without_banner", input,
                "Accept a file with no Matrix Market banner line"},
         config.given_read.without_banner);
  option(Option{"--allow-singular", "allow_singular", input,
                "Go on with a structurally singular matrix"},
         config.given_stage.allow_singular);
  option(Option{"--profile", "profile", input,
                "paper: --symmetry stored --explicit-zeros keep --precision float"},
         config.profile, OneOf{{"paper"}});
  option(Option{"--systems-file", "systems_file", input,
                "Values of --systems from a file of NumPy: a row for each system, a column for "
                "each entry line of the matrix file"},
         config.systems_file, ExistingFile{});
  option(Option{"--rhs", "rhs", input, "Number of right-hand sides"}, config.rhs,
         at_least(1, "1 or more"));
  option(Option{"--rhs-file", "rhs_file", input, "Right-hand sides from a file"}, config.rhs_file,
         ExistingFile{});
  option(Option{"--transpose", "transpose", input,
                "Solve systems with the transpose of the matrix, by the factors of the matrix"},
         config.transpose);
}

// Options that a few stages alone read.
void visit_single_stage_options(auto&& option, Is<SparseConfig> auto& config) {
  using namespace option_groups;
  auto& stage = config.given_stage;
  option(Option{"--symbolic-parts", "symbolic_parts", stages,
                "Row ranges with a chunk size of their own"},
         stage.symbolic_parts, at_least(1, "1 or more"));
  option(Option{"--symbolic-words", "symbolic_words", stages,
                "Pad the work arrays of a row to this many words of n, as E2E's c = 6 [unpadded]"},
         stage.symbolic_words, at_least(3, "3 or more"));
  option(Option{"--um-bytes", "um_bytes", stages,
                "Managed memory of gpu-um and gpu-um-prefetch; none: 80% of what is free"},
         stage.managed.bytes, ByteSize{});
  option(Option{"--um-host-start", "um_host_start", stages,
                "Let the host touch every managed page first"},
         stage.managed.host_start);
  option(Option{"--um-evict-between-chunks", "um_evict_between_chunks", stages,
                "Send managed pages back to the host between chunks"},
         stage.managed.evict_between_chunks);
  option(Option{"--um-allow-oversubscription", "um_allow_oversubscription", stages,
                "Let managed memory exceed what the card has free; can hang a shared machine"},
         stage.managed.allow_oversubscription);
  option(Option{"--glu-mode", "glu_mode", stages,
                "Kernel mode for every level: of gpu-dense, and of gpu-binary-search with "
                "--parallel-columns"},
         stage.glu_mode);
  option(Option{"--glu-thresholds", "glu_thresholds", stages,
                "Level widths at which these change their mode, widest first"},
         stage.glu_thresholds, LevelWidths{});
  option(Option{"--glu-streams", "glu_streams", stages,
                "In stream mode give each column of gpu-dense launches of its own, on so many "
                "streams in turn; 0: one launch for all columns of a level"},
         stage.glu_streams, between(0, 128, "between 0 and 128"));
  option(Option{"--parallel-columns", "parallel_columns", stages,
                "Columns that gpu-dense, gpu-dense-fixed and gpu-binary-search eliminate at the "
                "same time, with as many blocks in all [as many as fit and help]"},
         stage.parallel_columns, at_least(1, "1 or more"));
  option(Option{"--factors", "factors", stages,
                "Where gpu-multifrontal keeps its factors: on the device, or on the host, from "
                "where they come part by part; auto: on the host where they do not fit"},
         stage.factors);
  visit_gsofa_options(option, config.gsofa);
}

void visit_options(auto&& option, Is<SparseConfig> auto& config) {
  using namespace option_groups;
  using enum OptionScope;
  option(Option{"--refactor", "refactor", measuring,
                "Refactorizations with new values after the last repetition"},
         config.refactor, at_least(0, "0 or more"));
  option(Option{"--expect-refactorizations", "expect_refactorizations", measuring,
                "What ordering choices plan for [the value of --refactor]"},
         config.expect_refactorizations, at_least(0, "0 or more"));
  option(
      Option{"--systems", "systems", measuring,
             "Factor and solve so many systems with one pattern together: the matrix, and others "
             "with values of their own"},
      config.systems, between(1, 1 << 20, "1 to 1048576"));
  option(Option{"--values", "values", measuring,
                "Where the values, right-hand sides and solutions of refactorizations are before "
                "and after the clock runs; of solvers on the host always host"},
         config.refactoring.values);
  option(
      Option{"--phases", "phases", measuring,
             "Tell the phases of refactorizations apart by waits for the device, by events on it "
             "with one wait at the end, or not at all, so that they may overlap"},
      config.refactoring.phases);
  option(Option{"--until", "until", measuring, "Last step"}, config.until);
  option(Option{"--count-page-faults", "count_page_faults", measuring,
                "Count unified-memory page faults in a repetition of their own", variant},
         config.count_page_faults);
  option(Option{"--count-device-memory", "count_device_memory", measuring,
                "Read the driver's count of device memory in a repetition of its own, of foreign "
                "solvers on the GPU too",
                variant},
         config.count_device_memory);
  option(Option{"--write-solution", "write_solution", output, "Write the solution to this file",
                variant},
         config.solution_file, FileName{});
  option(Option{"--write-permutation", "write_permutation", output,
                "Write the ordering that superlu-dist-par finds to this file, as --permutation "
                "takes it",
                variant},
         config.written_permutation, FileName{});
  visit_pipeline_options(option, config);
  visit_input_options(option, config);
  visit_device_options(option, config.gsofa);
  visit_single_stage_options(option, config);
}

}  // namespace lufact
