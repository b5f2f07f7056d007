// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <mutex>
#include <nlohmann/json.hpp>

namespace lufact {

// Where a worker or a rank writes its answers. Several threads may.
class AnswerStream {
 public:
  enum class Form { lines, marked_records };  // marked_records.hpp
  AnswerStream(int descriptor, Form form) : descriptor_(descriptor), form_(form) {}

  // Ends the process where nobody reads any more.
  void send(const nlohmann::ordered_json& message) const;

 private:
  int descriptor_;
  Form form_;
  mutable std::mutex mutex_;
};

}  // namespace lufact
