// SPDX-License-Identifier: BSD-3-Clause
// Fronts that say that they are on the device: a stand-in for it, so that tests need none.
#pragma once
#include <memory>
#include <string>

#include "core/fronts/front_stages.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact::test {

// A host product that says it is on the device.
struct Elsewhere final : Product {
  explicit Elsewhere(ProductPtr product) : host(std::move(product)) {}
  ProductType type() const noexcept override { return host->type(); }
  Side side() const noexcept override { return Side::device; }
  ProductPtr host;
};

// The host's stage, under `name`.
class FrontsElsewhere final : public SymbolicStage {
 public:
  explicit FrontsElsewhere(const std::string& name) : info_(stage_->info()) {
    info_.name = name;
    info_.side = Side::device;
    info_.finds_postorder = true;
  }
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    return std::make_shared<Elsewhere>(stage_->run(product_cast<Elsewhere>(*matrix).host, context));
  }

 private:
  std::unique_ptr<SymbolicStage> stage_ = make_cpu_fronts_symbolic();
  StageInfo info_;
};

// As a device does: where the entries of a matrix have not been placed, it places its own.
inline ProductPtr with_entries(const ProductPtr& product) {
  const auto* const matrix = dynamic_cast<const PermutedMatrix*>(product.get());
  if (matrix == nullptr || matrix->unplaced == nullptr) return product;
  auto own = std::make_shared<PermutedMatrix>(*matrix);
  place_entries(*own);
  return own;
}

class CountingTransfer final : public Transfer {
 public:
  CountingTransfer(ProductType type, Side from, int& runs)
      : type_(type), from_(from), runs_(runs) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return from_; }
  Side to() const noexcept override { return from_ == Side::host ? Side::device : Side::host; }
  ProductPtr run(const ProductPtr& product, StageContext&) const override {
    ++runs_;
    if (from_ == Side::device) return product_cast<Elsewhere>(*product).host;
    return std::make_shared<Elsewhere>(with_entries(product));
  }

 private:
  ProductType type_;
  Side from_;
  int& runs_;
};

struct Copies {
  int uploads = 0, downloads = 0;
};

// Of matrices to where FrontsElsewhere works, and of what it makes back.
inline void add_transfers(Catalogue& catalogue, Copies& copies) {
  catalogue.transfers.push_back(std::make_unique<CountingTransfer>(product_types::permuted_matrix,
                                                                   Side::host, copies.uploads));
  catalogue.transfers.push_back(std::make_unique<CountingTransfer>(product_types::front_tree,
                                                                   Side::device, copies.downloads));
}

}  // namespace lufact::test
