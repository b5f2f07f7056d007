// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/choose/front_forecast.hpp"
#include "core/pipeline/selector.hpp"

namespace lufact {

using FrontForecaster = FrontForecast (*)(const FrontTree&, const StageOptions&);

struct FrontBackEnd {
  std::string levelize, numeric;
  FrontForecaster forecast;
  bool reads_factor_place = false;  // options.factors
};

// `select`: levelize and numeric stage with the least forecast for as many factorizations as
// --expect-refactorizations says, and one. Decides before anything is uploaded for either.
std::unique_ptr<Selector> make_front_back_end_selector(const std::vector<FrontBackEnd>& candidates);

}  // namespace lufact
