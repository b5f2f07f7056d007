// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/tensor_map.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "core/base/error.hpp"
#include "gpu/runtime/driver_function.hpp"

namespace lufact::gpu {
namespace {

constexpr Offset boundary = 16 / sizeof(double);
constexpr Offset most_bytes_between_columns = (Offset{1} << 40) - 1;  // of the driver's interface

}  // namespace

bool can_be_mapped(const MappedMatrix& matrix) {
  const auto place = reinterpret_cast<std::uintptr_t>(matrix.data);
  return place % (boundary * sizeof(double)) == 0 && matrix.ld % boundary == 0 &&
         matrix.ld <= most_bytes_between_columns / Offset{sizeof(double)};
}

CUtensorMap tensor_map(const MappedMatrix& matrix, int box_columns) {
  static auto* const encode =
      driver_function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  CUtensorMap map{};
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(matrix.rows),
                              static_cast<cuuint64_t>(matrix.columns)};
  const cuuint64_t column_bytes[] = {static_cast<cuuint64_t>(matrix.ld) * sizeof(double)};
  const cuuint32_t box[] = {mapped_box_rows, static_cast<cuuint32_t>(box_columns)};
  const cuuint32_t every[] = {1, 1};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 2, const_cast<double*>(matrix.data), sizes,
             column_bytes, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw Error(Outcome::error, "cuda_error",
                fmt::format("cuTensorMapEncodeTiled: error {} for {} x {} entries, {} apart",
                            static_cast<int>(status), matrix.rows, matrix.columns, matrix.ld));
  }
  return map;
}

}  // namespace lufact::gpu
