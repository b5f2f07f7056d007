// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "app/run/answer_stream.hpp"

namespace lufact {

// Sees, some ten times a second, that a rank does not outlive what started it, nor outgrow its
// memory: a supervisor on another host can see to neither. It tells the supervisor, and ends the
// process, upon which the launcher ends the others.
class RankWatch {
 public:
  // `answers` must outlive it. `name` is the rank's in messages.
  RankWatch(const AnswerStream& answers, std::string name);

  void set_limit(std::optional<std::uint64_t> host_bytes);

 private:
  void watch(const std::stop_token& stop);
  void look() const;

  const AnswerStream& answers_;
  const std::string name_;
  const int parent_;
  std::atomic<std::uint64_t> limit_{0};  // 0: none
  std::jthread thread_;                  // goes first
};

}  // namespace lufact
