// SPDX-License-Identifier: BSD-3-Clause
// Options of commands on dense matrices that take one of a closed set of values.
#pragma once
#include "app/config/choices.hpp"
#include "core/array/array_stage.hpp"

namespace lufact {

template <>
struct Choices<ArrayOperation> {
  static constexpr std::array values{ArrayOperation::lu, ArrayOperation::inverse,
                                     ArrayOperation::solve};
};
template <>
struct Choices<ArrayLayout> {
  static constexpr std::array values{ArrayLayout::contiguous, ArrayLayout::interleaved,
                                     ArrayLayout::pointers};
};
template <>
struct Choices<SwapRule> {
  static constexpr std::array values{SwapRule::greedy, SwapRule::lazy};
};
template <>
struct Choices<ArrayPivoting> {
  static constexpr std::array values{ArrayPivoting::partial, ArrayPivoting::none};
};

template <>
struct Choices<DenseBase> {
  static constexpr std::array values{DenseBase::skr, DenseBase::mkr};
};
template <>
struct Choices<DenseProduct> {
  static constexpr std::array values{DenseProduct::own, DenseProduct::simple, DenseProduct::cublas};
};
template <>
struct Choices<DenseTriangular> {
  static constexpr std::array values{DenseTriangular::columns, DenseTriangular::blocked};
};

template <>
struct Choices<FactorArithmetic> {
  static constexpr std::array values{FactorArithmetic::own, FactorArithmetic::float32,
                                     FactorArithmetic::tf32, FactorArithmetic::half,
                                     FactorArithmetic::bfloat};
};

}  // namespace lufact
