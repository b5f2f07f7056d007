// SPDX-License-Identifier: BSD-3-Clause
// Device twins of the front family's host products.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/pipeline/front_products.hpp"
#include "core/pipeline/stage.hpp"
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// As in FrontTree.
struct DeviceFrontEntries {
  Buffer<Index> source, row, column;
};

// The arrays of a FrontTree that the numeric stage needs; the entries of B are in the task graph. A
// tree made on the device has the other arrays too, for stages that plan on the host.
class DeviceFrontTree final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::front_tree; }
  Side side() const noexcept override { return Side::device; }

  Index n = 0;
  Buffer<Index> label;            // of B at each position
  Buffer<Index> row, parent_row;  // as in FrontTree
  // Only in a tree made on the device:
  FrontTree host;  // the host's copy, without label, rows and entries
  Buffer<Offset> entry_ptr;
  // Until place_entries() has put them into a task graph: 12 bytes an entry that nobody reads then.
  mutable std::optional<DeviceFrontEntries> entries;
};

struct DeviceOrderedTasks {
  Buffer<FrontTask> task;
  Buffer<Index> ticket;
  Index tickets = 0;
};

class DeviceTaskGraph final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::task_graph; }
  Side side() const noexcept override { return Side::device; }

  std::vector<FrontShape> host_shape;  // for the record, which describes stored factors by it
  Buffer<FrontShape> shape;
  Buffer<Index> child;
  DeviceOrderedTasks factorization, solve;
  // On the host, where parts are launched from; as in TaskGraph.
  std::vector<Index> part_end, solve_end;
  std::vector<Offset> factor_end;
  Buffer<ChildBlock> block;
  Buffer<Index> entry_source;
  Buffer<std::uint16_t> entry_place;
  Offset factor_entries = 0, contribution_entries = 0;
  Index flags = 0, fronts = 0;
};

// Front tree and task graph to the device, a front tree made on the device to the host. Each needs
// context.device; arrays on the device are resident.
std::vector<std::unique_ptr<Transfer>> make_front_transfers();

}  // namespace lufact::gpu
