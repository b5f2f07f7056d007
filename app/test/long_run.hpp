// SPDX-License-Identifier: BSD-3-Clause
// Runs that take long enough to be interrupted, and what they leave.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {

// A result file that keeps to its schema.
inline nlohmann::json checked_result(const std::string& path) {
  nlohmann::json result = read_json(path);
  EXPECT_THAT(schema_violations(result), testing::IsEmpty()) << path;
  EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty()) << path;
  return result;
}

// A matrix large enough that a run takes many seconds.
inline std::string large_matrix(const TemporaryFolder& folder) {
  return generate(folder, "large.mtx", {"grid2d", "--nx", "500", "--ny", "500"});
}

// The worker processes of a supervisor, from /proc.
inline std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::ifstream list("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

// Waits until the result journal says that samples flow: the worker has been busy for a while.
inline pid_t busy_worker(pid_t supervisor) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < give_up) {
    for (const pid_t child : children_of(supervisor)) {
      std::ifstream stat("/proc/" + std::to_string(child) + "/statm");
      long total = 0, resident = 0;
      if (stat >> total >> resident && resident > 20000) return child;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return -1;
}

}  // namespace lufact::test
