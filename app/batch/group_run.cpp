// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/group_run.hpp"

#include <utility>

namespace lufact {
namespace {

class StreamedRun final : public GroupRun {
 public:
  StreamedRun(const ArrayStage& stage, ArrayContext& context, const ArrayProblem& problem,
              MakeArrays<BatchArrays> make, bool page_locked)
      : GroupRun(problem, Side::host, std::move(make)),
        stage_(stage),
        context_(context),
        page_locked_(page_locked) {}

  // The room on the device decides the size of a chunk, for which the kernels are prepared.
  void load() override {
    if (!stream_) stream_ = gpu::make_batch_stream(*context_.device, problem(), page_locked_);
    const Offset chunk = stream_->chunk_problem().count;
    if (prepared_ && chunk <= prepared_for_) return;
    prepared_ = stage_.prepare(stream_->chunk_problem(), context_);
    prepared_for_ = chunk;
  }
  bool streams() const override { return true; }
  void run() override { streaming_ = stream_->run(*prepared_, arrays().operands()); }
  void release() override {
    GroupRun::release();
    stream_.reset();
  }
  ArrayLaunchFacts launch() const override { return prepared_->launch(); }
  std::optional<StreamingRecord> streaming() const override { return streaming_; }

 private:
  void bind(const ArrayOperands&) override { load(); }

  const ArrayStage& stage_;
  ArrayContext& context_;
  const bool page_locked_;
  std::unique_ptr<gpu::BatchStream> stream_;
  std::unique_ptr<PreparedArrays> prepared_;
  Offset prepared_for_ = 0;
  std::optional<StreamingRecord> streaming_;
};

}  // namespace

std::unique_ptr<GroupRun> make_streamed_run(const ArrayStage& stage, ArrayContext& context,
                                            const ArrayProblem& problem,
                                            MakeArrays<BatchArrays> make, bool page_locked) {
  return std::make_unique<StreamedRun>(stage, context, problem, std::move(make), page_locked);
}

}  // namespace lufact
