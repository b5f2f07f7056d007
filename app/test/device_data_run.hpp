// SPDX-License-Identifier: BSD-3-Clause
// The program on real matrices, beside a device.
#pragma once
#include <string>
#include <vector>

#include "app/test/data_run.hpp"

namespace lufact::test {

class DeviceRun : public DataRun {
 protected:
  void SetUp() override {
    const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
    if (doctor.at("device").is_null()) {
      GTEST_SKIP() << doctor.at("device_absent_reason").get<std::string>();
    }
    DataRun::SetUp();
  }
  // Without the complex one.
  std::vector<std::string> real_matrix_names() const {
    std::vector<std::string> names = matrix_names();
    std::erase(names, "gun_T");
    return names;
  }
  static std::uint64_t bytes(const nlohmann::json& record, const char* key) {
    return record.at("memory").at(key).get<std::uint64_t>();
  }
};

}  // namespace lufact::test
