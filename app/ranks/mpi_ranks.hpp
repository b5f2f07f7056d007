// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "app/run/rank_link.hpp"

namespace lufact {

// All processes of one MPI job. One at a time; MPI is there while it lives. Whatever MPI finds
// wrong ends the job.
class MpiRanks final : public RankLink {
 public:
  MpiRanks(int* argc, char*** argv);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }
  const std::string& host(Index rank) const override { return facts_.at(at(rank)).host; }
  std::string_view transport() const override { return "mpi"; }
  Index ranks_on_host() const override { return ranks_on_host_; }
  Index place_on_host() const override { return place_on_host_; }
  const std::vector<RankFacts>& facts() const override { return facts_; }

  void call_others() override;
  void broadcast(void* data, std::uint64_t bytes) override;
  void send(Index to, const void* data, std::uint64_t bytes) override;
  void receive(Index from, void* data, std::uint64_t bytes) override;
  void send_report(const RankReport& report) override;
  RankReport receive_report(Index from) override;
  void tell_others(const std::string& command) override;
  std::string await_command(bool attentive) override;
  [[noreturn]] void abort() override;

 private:
  void find_host_mates();
  void exchange_facts();

  int rank_ = 0, size_ = 1, ranks_on_host_ = 1, place_on_host_ = 0;
  std::vector<RankFacts> facts_;
};

}  // namespace lufact
