// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/tensor_map.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "core/base/error.hpp"
#include "gpu/runtime/driver_function.hpp"

namespace lufact::gpu {
namespace {

constexpr std::size_t boundary = 16;
constexpr Offset most_bytes_between_columns = (Offset{1} << 40) - 1;  // of the driver's interface

template <class T>
constexpr CUtensorMapDataType type_of = sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
                                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;

}  // namespace

template <class T>
bool can_be_mapped(const MappedMatrix<T>& matrix) {
  const auto place = reinterpret_cast<std::uintptr_t>(matrix.data);
  return place % boundary == 0 && matrix.ld % Offset{boundary / sizeof(T)} == 0 &&
         matrix.ld <= most_bytes_between_columns / Offset{sizeof(T)};
}

template <class T>
CUtensorMap tensor_map(const MappedMatrix<T>& matrix, const MappedBox& box) {
  static auto* const encode =
      driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map{};
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(matrix.rows),
                              static_cast<cuuint64_t>(matrix.columns)};
  const cuuint64_t column_bytes[] = {static_cast<cuuint64_t>(matrix.ld) * sizeof(T)};
  const cuuint32_t box_sizes[] = {static_cast<cuuint32_t>(box.rows),
                                  static_cast<cuuint32_t>(box.columns)};
  const cuuint32_t every[] = {1, 1};
  const CUresult status =
      encode(&map, type_of<T>, 2, const_cast<T*>(matrix.data), sizes, column_bytes, box_sizes,
             every, CU_TENSOR_MAP_INTERLEAVE_NONE,
             box.swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw Error(Outcome::error, "cuda_error",
                fmt::format("cuTensorMapEncodeTiled: error {} for {} x {} entries, {} apart",
                            static_cast<int>(status), matrix.rows, matrix.columns, matrix.ld));
  }
  return map;
}

#define LUFACT_TENSOR_MAPS_OF(T)                       \
  template bool can_be_mapped(const MappedMatrix<T>&); \
  template CUtensorMap tensor_map(const MappedMatrix<T>&, const MappedBox&);
LUFACT_TENSOR_MAPS_OF(float)
LUFACT_TENSOR_MAPS_OF(double)
#undef LUFACT_TENSOR_MAPS_OF

}  // namespace lufact::gpu
