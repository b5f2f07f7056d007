// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <vector>

#include "core/choose/front_forecast.hpp"
#include "core/pipeline/back_end.hpp"

namespace lufact {

using FrontForecaster = FrontForecast (*)(const FrontTree&, const StageOptions&);

struct FrontBackEnd {
  BackEndNames names;
  FrontForecaster forecast;
};

// `select`: the back end with the least forecast for as many factorizations as
// --expect-refactorizations says, and one.
std::unique_ptr<BackEndSelector> make_front_back_end_selector(std::vector<FrontBackEnd> candidates);

}  // namespace lufact
