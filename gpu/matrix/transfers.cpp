// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/matrix/transfers.hpp"

#include <span>
#include <stdexcept>

#include "core/permute/permute.hpp"
#include "core/pipeline/queued_work.hpp"
#include "gpu/matrix/device_products.hpp"
#include "gpu/matrix/entry_placement.hpp"
#include "gpu/matrix/matrix_ahead.hpp"
#include "gpu/matrix/new_values.hpp"
#include "gpu/matrix/vector_block.hpp"

namespace lufact::gpu {
namespace {

DeviceSession& session_of(StageContext& context) {
  if (context.device == nullptr) throw std::logic_error("a transfer needs a device session");
  return *context.device;
}

template <class T, class Allocator>
Buffer<T> to_device(DeviceSession& session, const std::vector<T, Allocator>& from,
                    std::string_view what) {
  return upload_copy(session, MemoryRole::resident, std::span<const T>(from), what);
}

Offset entries_of_a(const PermutedMatrix& host) {
  return host.pattern.nnz() - host.missing_diagonals_added;
}

EntrySources sources_of(DeviceSession& session, const PermutedMatrix& host) {
  return upload_sources(session, host.source, entries_of_a(host));
}

// Of a matrix on the device. What the host has not placed the device sorts again, where there is
// room for that beside the factors; else the host places it now, in a copy.
EntrySources sources_of_placed(DeviceSession& session, const PermutedMatrix& host,
                               const DevicePermutedMatrix& placed) {
  if (host.unplaced == nullptr) return sources_of(session, host);
  const std::uint64_t bytes = source_finding_bytes(session, placed.n, placed.nnz);
  if (placed.n > 0 && bytes <= session.ledger().available()) {
    return find_sources(session, host, entries_of_a(host), placed);
  }
  PermutedMatrix placed_here = host;
  lufact::place_entries(placed_here);
  return sources_of(session, placed_here);
}

// Entries that the host has placed arrive as they are, others are placed on the device.
void bring_entries(DeviceSession& session, const PermutedMatrix& host, const StageContext& context,
                   DevicePermutedMatrix& device) {
  const bool refactors = context.options.expect_refactorizations > 0;
  if (host.unplaced != nullptr) {
    auto* const ahead = dynamic_cast<DeviceMatrixAhead*>(context.ahead);
    place_entries(session, host, entries_of_a(host), ahead, device);
    if (!refactors) device.source = {};
    return;
  }
  device.col_idx = to_device(session, host.pattern.col_idx, "the columns of B");
  device.values = to_device(session, host.values, "the values of B");
  if (refactors) device.source = sources_of(session, host);
  device.scaled_norm = host.scaled_norm;
}

ProductPtr upload(const PermutedMatrix& host, StageContext& context) {
  DeviceSession& session = session_of(context);
  auto device = std::make_shared<DevicePermutedMatrix>();
  device->n = host.pattern.n_rows;
  device->nnz = host.pattern.nnz();
  device->row_ptr = to_device(session, host.pattern.row_ptr, "the row pointers of B");
  device->row_scale = to_device(session, host.row_scale, "the row scalings");
  device->col_scale = to_device(session, host.col_scale, "the column scalings");
  bring_entries(session, host, context, *device);
  return device;
}

// `place` fills the values alone, `given` of them; all else stays. Finds the sources first where
// they are not there yet.
template <class Place>
ProductPtr renew(const PermutedMatrix& host, Offset given, const DevicePermutedMatrix& placed,
                 StageContext& context, const Place& place) {
  if (given != entries_of_a(host)) {
    throw std::invalid_argument("new values are not as many as the entries of the matrix");
  }
  DeviceSession& session = session_of(context);
  auto device = std::make_shared<DevicePermutedMatrix>(placed);
  if (!device->source.space) device->source = sources_of_placed(session, host, placed);
  device->scaled_norm = place(session, *device);
  return device;
}

ProductPtr upload(const ColumnPattern& host, StageContext& context) {
  DeviceSession& session = session_of(context);
  auto device = std::make_shared<DeviceColumnPattern>();
  device->n = host.rows.n_rows;
  device->nnz = host.rows.nnz();
  device->row_ptr = to_device(session, host.rows.row_ptr, "the row pointers of L + U");
  device->col_idx = to_device(session, host.rows.col_idx, "the columns of L + U");
  device->diagonal = to_device(session, host.diagonal, "the diagonal positions of L + U");
  device->supernodes = to_device(session, host.supernodes, "the supernodes");
  return device;
}

ProductPtr upload(const ColumnSchedule& host, StageContext& context) {
  DeviceSession& session = session_of(context);
  auto device = std::make_shared<DeviceColumnSchedule>();
  device->rule = host.rule;
  device->n = checked_index(static_cast<Offset>(host.columns.size()), "the number of columns");
  device->level_of = to_device(session, host.level_of, "the level of each column");
  device->columns = to_device(session, host.columns, "the columns by level");
  device->levels = host.levels();
  device->max_width = host.max_width();
  device->level_ptr = {session, MemoryRole::resident, Offset{device->n} + 1, "the level offsets"};
  device->level_ptr.upload(host.level_ptr);
  return device;
}

ProductPtr download(const DeviceColumnPattern& device, StageContext&) {
  auto host = std::make_shared<ColumnPattern>();
  host->rows.n_rows = host->rows.n_cols = device.n;
  host->rows.row_ptr = device.row_ptr.download();
  host->rows.col_idx = device.col_idx.download();
  host->diagonal = device.diagonal.download();
  host->supernodes = device.supernodes.download();
  return host;
}

ProductPtr download(const DeviceColumnSchedule& device, StageContext&) {
  auto host = std::make_shared<ColumnSchedule>();
  host->rule = device.rule;
  host->level_of = device.level_of.download();
  host->columns = device.columns.download();
  host->level_ptr = device.level_ptr.download(Offset{device.levels} + 1);
  return host;
}

// Copy is one of the functions above, From the class that it takes.
template <class From, ProductPtr (*Copy)(const From&, StageContext&)>
class CopyTransfer final : public Transfer {
 public:
  CopyTransfer(ProductType type, Side from) : type_(type), from_(from) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return from_; }
  Side to() const noexcept override { return from_ == Side::host ? Side::device : Side::host; }
  ProductPtr run(const ProductPtr& product, StageContext& context) const override {
    return Copy(product_cast<From>(*product), context);
  }

 private:
  ProductType type_;
  Side from_;
};

class PermutedMatrixUpload final : public Transfer, public TransferOnDevice, public TransferAhead {
 public:
  ProductType type() const noexcept override { return product_types::permuted_matrix; }
  Side from() const noexcept override { return Side::host; }
  Side to() const noexcept override { return Side::device; }
  ProductPtr run(const ProductPtr& product, StageContext& context) const override {
    return upload(product_cast<PermutedMatrix>(*product), context);
  }
  std::unique_ptr<MatrixAhead> start(const CsrMatrix& a, StageContext& context) const override {
    return std::make_unique<DeviceMatrixAhead>(session_of(context), a);
  }
  ProductPtr run_with_new_values(const Product& product, HostSpan<const double> values_of_a,
                                 const Product& placed, StageContext& context) const override {
    return renew(product_cast<PermutedMatrix>(product),
                 static_cast<Offset>(values_of_a.entries.size()),
                 product_cast<DevicePermutedMatrix>(placed), context,
                 [&](DeviceSession& session, const DevicePermutedMatrix& device) {
                   return place_new_values(session, values_of_a, device);
                 });
  }
  ProductPtr run_with_values_there(const Product& product, const VectorBlock& values_of_a,
                                   const Product& placed, StageContext& context) const override {
    const DeviceVectorBlock& values = device_block(values_of_a);
    return renew(product_cast<PermutedMatrix>(product), values.size(),
                 product_cast<DevicePermutedMatrix>(placed), context,
                 [&](DeviceSession& session, const DevicePermutedMatrix& device) {
                   return place_values_there(session, values.data(), device);
                 });
  }
};

template <class From>
std::unique_ptr<Transfer> upload_of(ProductType type) {
  return std::make_unique<CopyTransfer<From, upload>>(type, Side::host);
}
template <class From>
std::unique_ptr<Transfer> download_of(ProductType type) {
  return std::make_unique<CopyTransfer<From, download>>(type, Side::device);
}

}  // namespace

std::vector<std::unique_ptr<Transfer>> make_transfers() {
  std::vector<std::unique_ptr<Transfer>> list;
  list.push_back(std::make_unique<PermutedMatrixUpload>());
  list.push_back(upload_of<ColumnPattern>(product_types::column_pattern));
  list.push_back(download_of<DeviceColumnPattern>(product_types::column_pattern));
  list.push_back(upload_of<ColumnSchedule>(product_types::column_schedule));
  list.push_back(download_of<DeviceColumnSchedule>(product_types::column_schedule));
  return list;
}

}  // namespace lufact::gpu
