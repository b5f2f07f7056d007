// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <stdexcept>
#include <string_view>

#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/entry_places.hpp"

namespace lufact::gpu {
namespace {

template <class T, class Allocator>
Buffer<T> to_device(StageContext& context, const std::vector<T, Allocator>& from,
                    std::string_view what) {
  if (context.device == nullptr) throw std::logic_error("a transfer needs a device session");
  return upload_copy(*context.device, MemoryRole::resident, std::span<const T>(from), what);
}

template <class T, class Allocator>
void to_host(const Buffer<T>& from, std::vector<T, Allocator>& to) {
  to.resize(static_cast<std::size_t>(from.size()));
  if (!to.empty()) from.session().copy_to_host(to.data(), from.data(), from.bytes());
}

DeviceOrderedTasks to_device(StageContext& context, const OrderedTasks& from) {
  return {to_device(context, from.task, "the tasks of fronts"),
          to_device(context, from.ticket, "the tickets of tasks"), from.tickets()};
}

class FrontTreeUpload final : public Transfer {
 public:
  ProductType type() const noexcept override { return product_types::front_tree; }
  Side from() const noexcept override { return Side::host; }
  Side to() const noexcept override { return Side::device; }
  ProductPtr run(const ProductPtr& product, StageContext& context) const override {
    const auto& host = product_cast<FrontTree>(*product);
    auto device = std::make_shared<DeviceFrontTree>();
    device->n = host.n;
    device->label = to_device(context, host.label, "the labels of pivots");
    device->row = to_device(context, host.row, "the rows of fronts");
    device->parent_row = to_device(context, host.parent_row, "the rows in parents");
    return device;
  }
};

class FrontTreeDownload final : public Transfer {
 public:
  ProductType type() const noexcept override { return product_types::front_tree; }
  Side from() const noexcept override { return Side::device; }
  Side to() const noexcept override { return Side::host; }
  ProductPtr run(const ProductPtr& product, StageContext& context) const override {
    const auto& device = product_cast<DeviceFrontTree>(*product);
    if (device.n != device.host.n) throw std::logic_error("a front tree that the host has already");
    auto host = std::make_shared<FrontTree>(device.host);
    to_host(device.label, host->label);
    to_host(device.row, host->row);
    to_host(device.parent_row, host->parent_row);
    to_host(device.entry_ptr, host->entry_ptr);
    if (context.entries_stay || !device.entries) {
      host->entries_there = product;
      return host;
    }
    to_host(device.entries->source, host->entry_source);
    to_host(device.entries->row, host->entry_row);
    to_host(device.entries->column, host->entry_column);
    return host;
  }
};

class TaskGraphUpload final : public Transfer {
 public:
  ProductType type() const noexcept override { return product_types::task_graph; }
  Side from() const noexcept override { return Side::host; }
  Side to() const noexcept override { return Side::device; }
  ProductPtr run(const ProductPtr& product, StageContext& context) const override {
    const auto& host = product_cast<TaskGraph>(*product);
    auto device = std::make_shared<DeviceTaskGraph>();
    device->host_shape = host.shape;
    device->shape = to_device(context, host.shape, "the shapes of fronts");
    device->child = to_device(context, host.child, "the children of fronts");
    device->factorization = to_device(context, host.factorization);
    device->solve = to_device(context, host.solve);
    device->part_end = host.part_end;
    device->solve_end = host.solve_end;
    device->factor_end = host.factor_end;
    device->block = to_device(context, host.block, "the rectangles of children");
    if (host.entries_there) {
      place_entries(*context.device, product_cast<DeviceFrontTree>(*host.entries_there), host.shape,
                    *device);
    } else {
      device->entry_source = to_device(context, host.entry_source, entry_sources);
      device->entry_place = to_device(context, host.entry_place, entry_places);
    }
    device->factor_entries = host.factor_entries;
    device->contribution_entries = host.contribution_entries;
    device->flags = host.flags;
    device->fronts = checked_index(static_cast<Offset>(host.shape.size()), "the fronts");
    return device;
  }
};

}  // namespace

std::vector<std::unique_ptr<Transfer>> make_front_transfers() {
  std::vector<std::unique_ptr<Transfer>> list;
  list.push_back(std::make_unique<FrontTreeUpload>());
  list.push_back(std::make_unique<FrontTreeDownload>());
  list.push_back(std::make_unique<TaskGraphUpload>());
  return list;
}

}  // namespace lufact::gpu
