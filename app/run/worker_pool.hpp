// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "app/process/child_process.hpp"
#include "app/workload/variant_plan.hpp"

namespace lufact {

// Worker processes between inputs. A worker serves one variant; one that may open another input
// waits here for it, so that many inputs do not cost as many device contexts.
class WorkerPool {
 public:
  // One that has served this variant, or a new one.
  std::unique_ptr<ChildProcess> take(const VariantPlan& plan);
  // After the last turn on an input. Ends the worker where its plan asks for a new one each time.
  void give_back(const VariantPlan& plan, std::unique_ptr<ChildProcess> worker);
  // A new one, that never waits here.
  static std::unique_ptr<ChildProcess> start(const VariantPlan& plan);

 private:
  using Variant = std::tuple<std::string, std::string, std::string>;  // workload, mode, variant
  static Variant variant_of(const VariantPlan& plan);

  std::multimap<Variant, std::unique_ptr<ChildProcess>> idle_;
};

}  // namespace lufact
