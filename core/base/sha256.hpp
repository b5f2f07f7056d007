// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 of files and arrays (OpenSSL's libcrypto underneath).
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace lufact {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(const void* data, std::size_t bytes);
  template <class T>
  void update(std::span<const T> values) {
    update(values.data(), values.size_bytes());
  }
  // 64 lower-case hexadecimal digits; the object may not be used afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_of_text(const std::string& text);

}  // namespace lufact
