// SPDX-License-Identifier: BSD-3-Clause
// Products: what one stage hands to the next. A product has a named type and lives on one side;
// the pipeline moves it when the next stage works on the other.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lufact {

enum class Side { host, device };
constexpr std::string_view to_string(Side side) noexcept {
  return side == Side::host ? "host" : "device";
}

// The identity of a product type is its name.
struct ProductType {
  std::string_view name;
  friend bool operator==(ProductType a, ProductType b) noexcept { return a.name == b.name; }
};

// The types of the column family. Another family of factors adds its own.
namespace product_types {
inline constexpr ProductType matrix{"matrix"};  // A read
inline constexpr ProductType matching{"matching"};
inline constexpr ProductType ordering{"ordering"};
inline constexpr ProductType permuted_matrix{"permuted-matrix"};
inline constexpr ProductType column_pattern{"column-pattern"};
inline constexpr ProductType column_schedule{"column-schedule"};
inline constexpr ProductType column_factors{"column-factors"};
}  // namespace product_types

class Product {
 public:
  virtual ~Product() = default;
  virtual ProductType type() const noexcept = 0;
  virtual Side side() const noexcept = 0;
};
using ProductPtr = std::shared_ptr<const Product>;

// The product as the concrete class a stage declared to take. The catalogue has checked the chain,
// so a mismatch is a programming error.
template <class T>
const T& product_cast(const Product& product) {
  const T* concrete = dynamic_cast<const T*>(&product);
  if (concrete == nullptr) {
    throw std::logic_error("a stage was given a product of type " +
                           std::string(product.type().name) + " on the " +
                           std::string(to_string(product.side())) + " that it does not take");
  }
  return *concrete;
}

}  // namespace lufact
