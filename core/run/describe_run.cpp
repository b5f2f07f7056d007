// SPDX-License-Identifier: BSD-3-Clause
// The part of PipelineRun that looks at finished products, outside the timed phases.
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/permute/permute.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/repetition.hpp"

namespace lufact {
namespace {

// Every entry of B is the entry of A that its labels name, and every entry of A is there once.
std::string find_permutation_fault(const CsrMatrix& a, const PermutedMatrix& b) {
  std::string fault = find_pattern_fault(b.pattern.view());
  if (!fault.empty()) return fault;
  if (b.pattern.nnz() != a.pattern.nnz() + b.missing_diagonals_added) {
    return "the permuted matrix has the wrong number of entries";
  }
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    const auto at = static_cast<std::size_t>(b.pattern.row_ptr[static_cast<std::size_t>(i)]);
    const auto columns = b.pattern.row(i);
    if (find_entry(b.pattern.view(), i, i) < 0) return fmt::format("row {} has no diagonal", i);
    const Index row = b.rows.old_of_new()[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index col = b.cols.old_of_new()[static_cast<std::size_t>(columns[k])];
      const Offset source = find_entry(a.pattern.view(), row, col);
      const double value = source < 0 ? 0.0 : a.values[static_cast<std::size_t>(source)];
      if (source != b.source[at + k] || value != b.values[at + k]) {
        return fmt::format("entry ({}, {}) is not entry ({}, {}) of the input", i, columns[k], row,
                           col);
      }
    }
  }
  return {};
}

void add_method(VerificationRecord& verification, const std::string& method) {
  verification.method += (verification.method.empty() ? "" : "+") + method;
}

// A run that did not go as it was planned says so.
void warn_of_plans(int again, Offset delayed, bool matched, const Chain& chain,
                   const Catalogue& catalogue, RunRecord& record) {
  if (again == 0) return;
  std::string message = fmt::format("planned again {} times, since refinement stagnated", again);
  if (delayed > 0) message += fmt::format("; {} pivots come later than ordered", delayed);
  if (matched) {
    message +=
        fmt::format("; scaling {} became {}", chain.scaling->info().name, catalogue.matching);
  }
  message += "; rows are exchanged in diagonal blocks; --replans 0 forbids it";
  std::erase_if(record.warnings, [](const Warning& old) { return old.code == "planned_again"; });
  record.warnings.push_back({"planned_again", std::move(message)});
}

}  // namespace

// Records need host products; the copy is made in a context of its own, so it enters no phase.
ProductPtr PipelineRun::host_copy(const ProductPtr& product) const {
  if (product->side() == Side::host) return product;
  const Transfer* transfer = catalogue_.find_transfer(product->type(), Side::device, Side::host);
  if (transfer == nullptr) {
    throw Error(Outcome::error, "no_transfer",
                fmt::format("nothing brings a {} to the host", product->type().name));
  }
  PhaseRecorder untimed(environment_.clock);
  StageNotes notes;
  StageContext stage_context{.phases = untimed,
                             .options = settings_.options,
                             .notes = notes,
                             .device = environment_.device,
                             .check_resident = {}};
  return transfer->run(product, stage_context);
}

const PermutedMatrix& PipelineRun::matrix_with_entries() const {
  place_entries(*products_.matrix);
  return *products_.matrix;
}

void PipelineRun::validate(const Product& product, const Product* upstream,
                           VerificationRecord& verification) const {
  const ProductHandler* handler = catalogue_.find_handler(product.type());
  if (handler == nullptr) {
    verification.passed = false;
    verification.message = fmt::format("no validator knows a {}", product.type().name);
    return;
  }
  const ValidatorVerdict verdict = handler->validate(matrix_with_entries(), upstream, product);
  add_method(verification, verdict.method);
  if (!verdict.passed) {
    verification.passed = false;
    verification.message = verdict.message;
  }
}

void PipelineRun::describe_products(RunRecord& record, VerificationRecord& verification) const {
  const bool full = settings_.verify == VerifyLevel::full;
  const bool none = settings_.verify == VerifyLevel::none;
  ProductPtr symbolic, schedule;
  record.factors.emplace();
  const auto visit = [&](const ProductPtr& product, const Product* upstream, Until last) {
    const ProductPtr host = host_copy(product);
    if (const ProductHandler* handler = catalogue_.find_handler(host->type())) {
      handler->describe(*products_.matrix, upstream, *host, *record.factors);
    }
    if (!none && (full || settings_.until == last)) validate(*host, upstream, verification);
    return host;
  };
  if (products_.symbolic) {
    symbolic = visit(products_.symbolic, nullptr, Until::symbolic);
    const bool check = !none && (full || settings_.until == Until::symbolic);
    describe_supernodes(record, *symbolic, check, verification);
  }
  if (products_.schedule) schedule = visit(products_.schedule, symbolic.get(), Until::levelize);
  if (products_.factors) describe_factors(record, symbolic.get(), verification);
}

void PipelineRun::describe_supernodes(RunRecord& record, const Product& symbolic, bool check,
                                      VerificationRecord& verification) const {
  const ProductHandler* handler = catalogue_.find_handler(symbolic.type());
  if (handler == nullptr) return;
  const Index most_rows = settings_.options.supernode_size;
  record.supernodes = handler->count_supernodes(symbolic, most_rows);
  if (!record.supernodes || !check) return;
  const ValidatorVerdict verdict = handler->validate_supernodes(symbolic, most_rows);
  add_method(verification, verdict.method);
  if (!verdict.passed) {
    verification.passed = false;
    verification.message = verdict.message;
  }
}

// Factors stay where they are: what must be known of them is asked of them.
void PipelineRun::describe_factors(RunRecord& record, const Product* symbolic,
                                   VerificationRecord& verification) const {
  const Factors& factors = *products_.factors;
  if (const ProductHandler* handler = catalogue_.find_handler(factors.type())) {
    handler->describe(*products_.matrix, symbolic, factors, *record.factors);
  }
  const bool last = settings_.until == Until::numeric && settings_.verify != VerifyLevel::none;
  if (last || settings_.verify == VerifyLevel::full) validate(factors, symbolic, verification);
}

void PipelineRun::describe_numeric(RunRecord& record) const {
  if (!products_.factors) return;
  const FactorFigures figures = products_.factors->figures();
  NumericRecord numeric;
  numeric.level_kernel_counts = figures.level_kernel_counts;
  numeric.format = figures.format;
  numeric.parallel_columns = figures.parallel_columns;
  numeric.max_parallel_blocks = figures.max_parallel_blocks;
  numeric.pivoting = to_string(options_.pivoting);
  numeric.pivot_threshold = settings_.options.pivot_threshold;
  numeric.perturbed_pivots = figures.perturbed_pivots;
  numeric.largest_perturbation = figures.largest_perturbation;
  numeric.exchanged_rows = figures.exchanged_rows;
  numeric.growth = figures.growth;
  numeric.replans = plans_.again;
  numeric.delayed_pivots = delayed_pivots();
  if (verification_ && !verification_->passed) numeric.suspect_pivots = suspect_pivots();
  record.numeric = numeric;
  record.memory.factors_host_bytes = figures.host_bytes;
  record.memory.factors_parts = figures.host_parts;
}

// The stages that ran, with what selectors took.
PipelineRecord PipelineRun::stages_run() const {
  PipelineRecord record = chain_.record(*tail_, settings_.until, settings_.options.precision);
  if (plans_.matched) record.scaling = catalogue_.matching;
  record.choices = notes_.choices;
  return record;
}

void PipelineRun::describe(RunRecord& record) const {
  record.missing_diagonals_added = products_.matrix->missing_diagonals_added;
  VerificationRecord verification;
  verification.passed = true;
  if (verification_) verification = *verification_;
  if (settings_.until == Until::order && settings_.verify != VerifyLevel::none) {
    verification.method = "permutation";
    verification.message = find_permutation_fault(system_.input.matrix, matrix_with_entries());
    verification.passed = verification.message.empty();
  }
  describe_products(record, verification);
  describe_numeric(record);
  record.verification = verification;
  if (settings_.verify == VerifyLevel::none) {
    mark_unverified(record, "run with --verify residual or full to trust this");
  }
  record.pipeline = stages_run();
  record.warnings.insert(record.warnings.end(), notes_.warnings.begin(), notes_.warnings.end());
  warn_of_plans(plans_.again, delayed_pivots(), plans_.matched, chain_, catalogue_, record);
  record.gsofa = notes_.gsofa;
  record.distribution = notes_.distribution;
  record.memory.chunks = notes_.chunks;
  record.memory.chunk_sizes = notes_.chunk_sizes;
  record.memory.bytes_per_source = notes_.bytes_per_source;
  record.profile = ProfileRecord{{}, notes_.frontier, notes_.gsofa_sources};
  if (products_.factors && settings_.record_profile) {
    record.profile->levels = products_.factors->level_profile();
  }
}

void PipelineRun::add_refactorizations(RunRecord& record) const {
  if (arrays_) {
    arrays_->report(record);
    record.refactoring = record_of(refactoring_);
  }
  if (record.numeric) {
    record.numeric->replans = plans_.again;
    record.numeric->delayed_pivots = delayed_pivots();
  }
  warn_of_plans(plans_.again, delayed_pivots(), plans_.matched, chain_, catalogue_, record);
  if (!verification_ || !record.verification || settings_.verify == VerifyLevel::none) return;
  VerificationRecord worst = *verification_;
  worst.method = record.verification->method;
  if (!record.verification->passed) {
    worst.passed = false;
    worst.message = record.verification->message;
  }
  record.verification = worst;
}

}  // namespace lufact
