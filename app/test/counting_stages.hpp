// SPDX-License-Identifier: BSD-3-Clause
// Symbolic stages of the host that count their sources as that of GSoFa does, where they are told
// to, and can fail at it. Else they are `cpu-gp-pruned`.
#pragma once
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact::test {

class CountingSymbolic final : public SymbolicStage {
 public:
  using Counting = void (*)();  // what it does before it counts
  CountingSymbolic(std::string name, Counting counting) : counting_(counting) {
    info_ = search_->info();
    info_.name = std::move(name);
    info_.several_ranks = true;
  }

  const StageInfo& info() const noexcept override { return info_; }

  // One entry, whose iterations are the searches of this process. A warning says that it counted.
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    ++searches_;
    const Index n = product_cast<PermutedMatrix>(*matrix).pattern.n_rows;
    if (context.options.gsofa.profile) {
      counting_();
      context.notes.gsofa_sources = {{0}, {n}, {1.5}, {searches_}, {7}};
      context.notes.warnings.push_back({"counted", "sources were counted"});
    }
    return search_->run(matrix, context);
  }
  void assist(StageContext& context) const override {
    assisted.push_back(context.options.gsofa.profile);
  }

  static inline std::vector<bool> assisted;  // whether it was to count, each time

 private:
  static inline Offset searches_ = 0;
  const std::unique_ptr<SymbolicStage> search_ = make_gp_pruned_symbolic();
  Counting counting_;
  StageInfo info_;
};

inline void add_counting_stages(Catalogue& catalogue) {
  using namespace std::chrono_literals;
  const auto add = [&](const char* name, CountingSymbolic::Counting counting) {
    catalogue.symbolic.push_back(std::make_unique<CountingSymbolic>(name, counting));
    catalogue.gsofa_stages.emplace_back(name);
  };
  add("counting", [] {});
  add("counting-without-memory",
      [] { throw Error(Outcome::oom_device, "device_budget", "no room for the counters"); });
  add("counting-dies", [] { std::_Exit(5); });
  add("counting-for-ever", [] { std::this_thread::sleep_for(1h); });
}

}  // namespace lufact::test
