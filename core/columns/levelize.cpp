// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/levelize.hpp"

#include <utility>

#include "core/columns/cpu_stages.hpp"
#include "core/columns/dependency.hpp"
#include "core/columns/level_sets.hpp"

namespace lufact {
namespace {

class CpuLevelize final : public LevelizeStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    const auto& pattern = product_cast<ColumnPattern>(*symbolic);
    return std::make_shared<ColumnSchedule>(column_schedule(pattern, context.options.dependency));
  }

 private:
  StageInfo info_{.name = "cpu",
                  .description = "levels of columns in two passes over the pattern, one core",
                  .source = "core/columns",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::column_pattern},
                  .gives = product_types::column_schedule};
};

}  // namespace

ColumnSchedule column_schedule(const ColumnPattern& pattern, DependencyRule rule) {
  return column_schedule(rule, column_levels(pattern, rule));
}

ColumnSchedule column_schedule(DependencyRule rule, std::vector<Index> level_of) {
  ColumnSchedule schedule;
  schedule.rule = rule;
  schedule.level_of = std::move(level_of);
  LevelSets sets = group_by_level(schedule.level_of);
  schedule.columns = std::move(sets.items);
  schedule.level_ptr = std::move(sets.level_ptr);
  return schedule;
}

std::unique_ptr<LevelizeStage> make_cpu_levelize() {
  return std::make_unique<CpuLevelize>();
}

}  // namespace lufact
