// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/copy_array.hpp"

#include "core/base/error.hpp"
#include "gpu/batch/copy_kernels.hpp"
#include "gpu/batch/device_of_stage.hpp"

namespace lufact::gpu {
namespace {

class PreparedCopy final : public PreparedArrays {
 public:
  PreparedCopy(const ArrayProblem& problem, DeviceSession& session)
      : problem_(problem), session_(session) {}

  void run(const ArrayOperands& operands, Offset count) override {
    copy_arrays(session_, problem_, operands, count);
  }

 private:
  ArrayProblem problem_;
  DeviceSession& session_;
};

class CopyStage final : public ArrayStage {
 public:
  const ArrayStageFacts& facts() const noexcept override { return copy_array_facts(); }
  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem& problem,
                                          ArrayContext& context) const override {
    const std::string why = refusal(facts(), problem);
    if (!why.empty()) throw UsageError(why);
    return std::make_unique<PreparedCopy>(problem, device_of(context, facts()));
  }
};

}  // namespace

std::unique_ptr<ArrayStage> make_copy_array() {
  return std::make_unique<CopyStage>();
}

}  // namespace lufact::gpu
