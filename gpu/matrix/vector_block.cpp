// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/matrix/vector_block.hpp"

#include <stdexcept>

namespace lufact::gpu {

DeviceVectorBlock::DeviceVectorBlock(DeviceSession& session, Index rows, Index columns)
    : rows_(rows),
      columns_(columns),
      values_(session, MemoryRole::resident, Offset{rows} * columns, "a block of vectors") {}

DeviceVectorBlock& device_block(VectorBlock& block) {
  return const_cast<DeviceVectorBlock&>(device_block(static_cast<const VectorBlock&>(block)));
}

const DeviceVectorBlock& device_block(const VectorBlock& block) {
  const auto* concrete = dynamic_cast<const DeviceVectorBlock*>(&block);
  if (concrete == nullptr) throw std::logic_error("a block of vectors is not on the device");
  return *concrete;
}

}  // namespace lufact::gpu
