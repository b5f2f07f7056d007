// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/group_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "gpu/gpu.hpp"

namespace lufact {
namespace {

class StageRun final : public GroupRun {
 public:
  StageRun(const ArrayStage& stage, ArrayContext& context, const ArrayProblem& problem,
           const BatchGroup& group, MakeArrays make)
      : GroupRun(problem, group, std::move(make)), stage_(stage), context_(context) {}

  void load() override { prepared_ = stage_.prepare(problem(), context_); }
  void run() override { prepared_->run(arrays().operands(), problem().count); }
  ArrayLaunchFacts launch() const override { return prepared_->launch(); }

 private:
  const ArrayStage& stage_;
  ArrayContext& context_;
  std::unique_ptr<PreparedArrays> prepared_;
};

class StreamedRun final : public GroupRun {
 public:
  StreamedRun(const ArrayStage& stage, ArrayContext& context, const ArrayProblem& problem,
              const BatchGroup& group, MakeArrays make, bool page_locked)
      : GroupRun(problem, group, std::move(make)),
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

class PeerRun final : public GroupRun {
 public:
  PeerRun(std::unique_ptr<ArrayPeer> peer, DeviceSession* device, const ArrayProblem& problem,
          const BatchGroup& group, MakeArrays make)
      : GroupRun(problem, group, std::move(make)), peer_(std::move(peer)), device_(device) {}

  void run() override { peer_->run(device_ != nullptr ? gpu::native_stream(*device_) : nullptr); }
  ArrayLaunchFacts launch() const override {
    ArrayLaunchFacts facts;
    facts.settings["workspace_bytes"] = fmt::format("{}", workspace_bytes_);
    return facts;
  }

 private:
  void bind(const ArrayOperands& operands) override {
    workspace_bytes_ = peer_->prepare(problem(), operands);
  }

  const std::unique_ptr<ArrayPeer> peer_;
  DeviceSession* const device_;
  std::uint64_t workspace_bytes_ = 0;
};

class CopiedPeerRun final : public GroupRun {
 public:
  CopiedPeerRun(std::unique_ptr<ArrayPeer> peer, DeviceSession& device, const ArrayProblem& problem,
                const BatchGroup& group, MakeArrays make, MakeArrays make_there, bool page_locked)
      : GroupRun(problem, group, std::move(make)),
        peer_(std::move(peer)),
        device_(device),
        group_(group),
        make_there_(std::move(make_there)),
        page_locked_(page_locked) {}

  bool copies() const override { return true; }
  void upload() override {
    gpu::upload_batch(device_, problem(), arrays().operands(), there_->operands(), page_locked_);
  }
  void run() override { peer_->run(gpu::native_stream(device_)); }
  void download() override {
    gpu::download_batch(device_, problem(), there_->operands(), arrays().operands(), page_locked_);
  }
  void release() override {
    GroupRun::release();
    there_.reset();
  }

 private:
  void bind(const ArrayOperands&) override {
    there_ = make_there_(problem(), group_);
    there_->restore();
    peer_->prepare(problem(), there_->operands());
  }

  const std::unique_ptr<ArrayPeer> peer_;
  DeviceSession& device_;
  const BatchGroup group_;
  const MakeArrays make_there_;
  const bool page_locked_;
  std::unique_ptr<BatchArrays> there_;
};

}  // namespace

GroupRun::GroupRun(const ArrayProblem& problem, BatchGroup group, MakeArrays make)
    : problem_(problem), group_(std::move(group)), make_(std::move(make)) {}

void GroupRun::restore() {
  const bool fresh = !arrays_;
  if (fresh) arrays_ = make_(problem_, group_);
  arrays_->restore();
  if (fresh) bind(arrays_->operands());
}

bool GroupRun::holds_input() {
  const std::string left = arrays_->values_sha256();
  arrays_.reset();
  ArrayProblem in_place = problem_;
  in_place.in_place = true;
  const std::unique_ptr<BatchArrays> input = make_(in_place, group_);
  input->restore();
  return input->values_sha256() == left;
}

void GroupRun::release() {
  arrays_.reset();
}

std::unique_ptr<GroupRun> make_stage_run(const ArrayStage& stage, ArrayContext& context,
                                         const ArrayProblem& problem, const BatchGroup& group,
                                         MakeArrays make) {
  return std::make_unique<StageRun>(stage, context, problem, group, std::move(make));
}

std::unique_ptr<GroupRun> make_streamed_run(const ArrayStage& stage, ArrayContext& context,
                                            const ArrayProblem& problem, const BatchGroup& group,
                                            MakeArrays make, bool page_locked) {
  return std::make_unique<StreamedRun>(stage, context, problem, group, std::move(make),
                                       page_locked);
}

std::unique_ptr<GroupRun> make_peer_run(std::unique_ptr<ArrayPeer> peer, DeviceSession* device,
                                        const ArrayProblem& problem, const BatchGroup& group,
                                        MakeArrays make) {
  return std::make_unique<PeerRun>(std::move(peer), device, problem, group, std::move(make));
}

std::unique_ptr<GroupRun> make_copied_peer_run(std::unique_ptr<ArrayPeer> peer,
                                               DeviceSession& device, const ArrayProblem& problem,
                                               const BatchGroup& group, MakeArrays make,
                                               MakeArrays make_there, bool page_locked) {
  return std::make_unique<CopiedPeerRun>(std::move(peer), device, problem, group, std::move(make),
                                         std::move(make_there), page_locked);
}

}  // namespace lufact
