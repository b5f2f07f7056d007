// SPDX-License-Identifier: BSD-3-Clause
#include "core/choose/symbolic_selector.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/base/byte_size.hpp"
#include "core/matrix/parallel.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {
namespace {

// Work arrays, some of which stay, may take this part of the free device memory: factors need the
// most of it.
constexpr std::uint64_t least_part_of_room = 4;

class FrontSymbolicSelector final : public SymbolicSelector {
 public:
  explicit FrontSymbolicSelector(std::vector<FrontSymbolic> candidates)
      : candidates_(std::move(candidates)) {}

  const StageInfo& info() const noexcept override { return info_; }

  std::vector<std::string> candidates() const override {
    std::vector<std::string> names;
    for (const FrontSymbolic& candidate : candidates_) names.push_back(candidate.name);
    return names;
  }

  std::size_t choose(const PermutedMatrix& b, std::span<const SymbolicStage* const> allowed,
                     std::optional<std::uint64_t> room, StageContext& context) const override {
    const Index n = b.pattern.n_rows;
    const Offset nnz = b.pattern.nnz();
    const int threads = thread_count(context.options.threads);
    Choice choice{.stage = "symbolic",
                  .chosen = {},
                  .candidates = {},
                  .reason = fmt::format("forecast for {} rows and {} entries with {} threads:", n,
                                        nnz, threads)};
    std::size_t best = 0;
    double least = 0;
    for (std::size_t k = 0; k < allowed.size(); ++k) {
      const FrontSymbolic& candidate = find(allowed[k]->info().name);
      const double seconds = candidate.seconds(n, nnz, threads);
      choice.candidates.push_back(candidate.name);
      choice.reason +=
          fmt::format("{} {} {:.3g} ms", k == 0 ? "" : ",", candidate.name, seconds * 1e3);
      if (k > 0) {
        const std::string hindrance = hindrance_of(candidate, n, nnz, room);
        if (!hindrance.empty()) choice.reason += fmt::format(" but {}", hindrance);
        if (!hindrance.empty() || seconds >= least) continue;
      }
      best = k;
      least = seconds;
    }
    choice.chosen = choice.candidates.at(best);
    context.notes.choices.push_back(std::move(choice));
    return best;
  }

 private:
  const FrontSymbolic& find(const std::string& name) const {
    for (const FrontSymbolic& candidate : candidates_) {
      if (candidate.name == name) return candidate;
    }
    throw std::logic_error("no forecast for " + name);
  }

  // Why it cannot run; empty where it can.
  static std::string hindrance_of(const FrontSymbolic& candidate, Index n, Offset nnz,
                                  std::optional<std::uint64_t> room) {
    if (candidate.device_bytes == nullptr) return {};
    if (!room) return "no other stage of this run may use a device";
    const std::uint64_t bytes = candidate.device_bytes(n, nnz);
    if (bytes <= *room / least_part_of_room) return {};
    return fmt::format("its {} are too much of the {} free on the device", format_byte_size(bytes),
                       format_byte_size(*room));
  }

  std::vector<FrontSymbolic> candidates_;
  StageInfo info_{.name = "select",
                  .description =
                      "symbolic of fronts on the CPU or the GPU, by a forecast from rows, entries "
                      "and --threads; the record says why",
                  .source = "core/choose",
                  .takes = {product_types::permuted_matrix},
                  .gives = product_types::front_tree};
};

}  // namespace

std::unique_ptr<SymbolicSelector> make_front_symbolic_selector(
    std::vector<FrontSymbolic> candidates) {
  return std::make_unique<FrontSymbolicSelector>(std::move(candidates));
}

}  // namespace lufact
