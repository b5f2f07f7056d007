// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe/matrix_description.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "app/config/machine_json.hpp"
#include "app/config/rates_file.hpp"
#include "core/base/error.hpp"
#include "core/base/memory_limit.hpp"
#include "core/matrix/reader.hpp"
#include "core/pipeline/front_products.hpp"
#include "core/pipeline/transposed.hpp"
#include "core/structure/elimination_analysis.hpp"
#include "core/structure/tree_levels.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

constexpr Offset most_explicit_entries = Offset{1} << 28;  // of a pattern of L + U, 1 GiB

// Runs a symbolic stage of the host on the ordered matrix.
ProductPtr run_symbolic(const SymbolicStage& stage, const OrderedMatrix& ordered,
                        const StageOptions& options) {
  const SteadyClock clock;
  PhaseRecorder phases(clock);
  StageNotes notes;
  StageContext context{.phases = phases, .options = options, .notes = notes, .check_resident = {}};
  return stage.run(ordered.matrix, context);
}

// An ordering with what is known behind it. The front tree is made when it is asked for.
class OrderedFacts {
 public:
  OrderedFacts(const Catalogue& catalogue, OrderedMatrix ordered, const MatrixFacts& matrix,
               const StageOptions& options)
      : catalogue_(catalogue), ordered_(std::move(ordered)), options_(options) {
    facts_ = {.asked = ordered_.asked,
              .chosen = ordered_.chosen,
              .seconds = ordered_.seconds,
              .fill_ratio = {},
              .choices = ordered_.choices};
    count_by_tree();
    if (!facts_.exact && facts_.nnz_lu <= most_explicit_entries) count_exactly();
    if (matrix.nnz > 0) {
      facts_.fill_ratio = static_cast<double>(facts_.nnz_lu) / static_cast<double>(matrix.nnz);
    }
  }

  const OrderedMatrix& ordered() const noexcept { return ordered_; }
  const OrderingFacts& facts() const noexcept { return facts_; }

  ProductPtr front_tree() {
    if (tree_ == nullptr) tree_ = run_symbolic(stage_of_fronts(), ordered_, options_);
    return tree_;
  }

 private:
  void count_by_tree() {
    const EliminationAnalysis analysis(*ordered_.matrix, options_.threads);
    facts_.nnz_lu = facts_.nnz_fronts = analysis.nnz_lu();
    facts_.flops = analysis.flops();
    facts_.exact = analysis.exact();
    const std::vector<Offset> widths = level_widths(tree_heights(analysis.parent()));
    facts_.levels = std::ssize(widths);
    for (const Offset width : widths) facts_.widest_level = std::max(facts_.widest_level, width);
    for (const Index count : analysis.column_count()) {
      facts_.largest_column = std::max<Offset>(facts_.largest_column, count);
    }
    const Supernodes fronts = analysis.fronts(options_.rates.front_path);
    facts_.fronts = fronts.count();
    for (Index f = 0; f < fronts.count(); ++f) {
      const Offset order =
          Offset{fronts.first[at(f) + 1]} - fronts.first[at(f)] + fronts.rows[at(f)];
      facts_.largest_front = std::max(facts_.largest_front, order);
    }
  }

  void count_exactly() {
    const Mode& oracle = catalogue_.mode(catalogue_.oracle_mode);
    const SymbolicStage& stage = *resolve_chain(catalogue_, oracle.stages).tail.symbolic;
    const ProductPtr pattern = run_symbolic(stage, ordered_, options_);
    FactorsRecord record;
    catalogue_.find_handler(pattern->type())->describe(*ordered_.matrix, nullptr, *pattern, record);
    facts_.nnz_lu = record.nnz_l.value() + record.nnz_u.value();
    facts_.flops = record.flops.value();
    facts_.exact = true;
  }

  const SymbolicStage& stage_of_fronts() const {
    for (const auto& stage : catalogue_.symbolic) {
      const StageInfo& info = stage->info();
      if (info.side == Side::host && info.gives == product_types::front_tree) return *stage;
    }
    throw Error(Outcome::error, "no_front_stage", "no stage of the host gives a front tree");
  }

  const Catalogue& catalogue_;
  OrderedMatrix ordered_;
  const StageOptions& options_;
  OrderingFacts facts_;
  ProductPtr tree_;
};

class Describer {
 public:
  Describer(const DescribeOptions& options, const InputMatrix& input, const Machine& machine)
      : options_(options),
        input_(input),
        machine_(machine),
        catalogue_(make_catalogue()),
        stage_options_(stage_options(options.matrix)),
        orderer_(catalogue_, input.matrix, stage_options_) {
    stage_options_.expect_refactorizations = options.expect_refactorizations;
  }

  MatrixDescription run() {
    MatrixDescription result{
        .facts = input_.facts,
        .entries = entry_facts(input_.matrix, degrees_of(input_.matrix.pattern.view())),
        .scaling = orderer_.scaling(),
        .matching_s = orderer_.matching_seconds(),
        .threads = stage_options_.threads,
        .expect_refactorizations = options_.expect_refactorizations,
        .rates = load_rates(),
        .machine = machine_,
        .orderings = {},
        .modes = {},
        .recommendation = {}};
    ordered_for(catalogue_.mode(catalogue_.oracle_mode));
    for (const Mode& mode : catalogue_.modes) result.modes.push_back(describe(mode));
    for (const auto& ordered : ordered_) result.orderings.push_back(ordered->facts());
    result.recommendation = recommend(result.modes, options_.expect_refactorizations);
    return result;
  }

 private:
  OrderedFacts& ordered_for(const Mode& mode) {
    const std::string name = ordering_of(options_.matrix, mode.stages.ordering);
    for (const auto& ordered : ordered_) {
      if (ordered->facts().asked == name) return *ordered;
    }
    ordered_.push_back(std::make_unique<OrderedFacts>(catalogue_, orderer_.order(name),
                                                      input_.facts, stage_options_));
    return *ordered_.back();
  }

  ModeDescription describe(const Mode& mode) {
    OrderedFacts& ordered = ordered_for(mode);
    const Chain chain = resolve_chain(catalogue_, mode.stages);
    const bool of_fronts = chain.tail.symbolic->info().gives == product_types::front_tree;
    const Offset nnz_lu = of_fronts ? ordered.facts().nnz_fronts : ordered.facts().nnz_lu;
    const ForecastTerms terms{.refactorizations = options_.expect_refactorizations,
                              .device_limit = options_.device_memory_limit,
                              .host_limit = memory_limit_with(options_.host_memory_limit)};
    const KnownMatrix known{.ordered = ordered.ordered(),
                            .nnz_lu = ordered.facts().nnz_lu,
                            .front_tree = [&ordered] { return ordered.front_tree(); },
                            .device_room = device_bytes()};
    ModeDescription result{.mode = mode.name,
                           .ordering = ordered.facts().asked,
                           .uses_device = chain.uses_device(Until::solve),
                           .solves_transposed = find_without_transposed(chain) == nullptr,
                           .memory = forecast_chain(chain, input_.facts, nnz_lu, terms, machine_),
                           .time = forecast_time(catalogue_, chain, known, stage_options_),
                           .gsofa = {},
                           .gsofa_reason = {}};
    if (catalogue_.is_gsofa(chain.tail.symbolic->info().name)) {
      plan_gsofa(bytes_before_symbolic(chain, input_.facts, terms), result);
    }
    return result;
  }

  // What a run may use: of the card that is there, or of one with as much memory as was said.
  std::optional<std::uint64_t> device_bytes() const {
    if (!machine_.device) return options_.device_memory_limit;
    const std::uint64_t free = machine_.device->free_bytes;
    return std::min(free, options_.device_memory_limit.value_or(free));
  }

  void plan_gsofa(std::uint64_t held, ModeDescription& mode) const {
    const std::optional<std::uint64_t> bytes = device_bytes();
    if (!bytes || input_.facts.n == 0) {
      mode.gsofa_reason = "give --device-memory-limit to see its batches";
      return;
    }
    try {
      mode.gsofa = plan_gsofa_batch(input_.facts.n, *bytes > held ? *bytes - held : 0);
    } catch (const Error& error) {
      mode.gsofa_reason = error.what();
    }
  }

  const DescribeOptions& options_;
  const InputMatrix& input_;
  const Machine& machine_;
  Catalogue catalogue_;
  StageOptions stage_options_;
  MatrixOrderer orderer_;
  std::vector<std::unique_ptr<OrderedFacts>> ordered_;
};

}  // namespace

MatrixDescription describe_matrix(const DescribeOptions& options) {
  const InputMatrix input = read_matrix(options.matrix);
  const Machine machine = query_machine_in_child(options.device);
  return Describer(options, input, machine).run();
}

}  // namespace lufact
