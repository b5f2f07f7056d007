// SPDX-License-Identifier: BSD-3-Clause
#include "app/ranks/mpi_ranks.hpp"

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "app/run/messages.hpp"
#include "app/run/rank_commands.hpp"
#include "app/run/rank_report_json.hpp"

namespace lufact {
namespace {

using namespace std::chrono_literals;

enum Tag : int { data_tag = 1, report_tag = 2, command_tag = 3 };

constexpr std::size_t longest_fact = 256;  // with a zero at the end
using FactText = std::array<char, longest_fact>;

// MPI counts in int; most_bytes fits.
int count_of(std::uint64_t bytes) {
  return static_cast<int>(bytes);
}

void send_text(int to, Tag tag, const std::string& text) {
  MPI_Send(text.data(), count_of(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

// MPI's own waiting keeps a processor busy.
std::string receive_text(int from, Tag tag, std::chrono::microseconds pause) {
  MPI_Status status;
  for (int there = 0;;) {
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status);
    if (there != 0) break;
    std::this_thread::sleep_for(pause);
  }
  int count = 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  std::string text(static_cast<std::size_t>(count), '\0');
  MPI_Recv(text.data(), count, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return text;
}

FactText fact_text(const std::string& text) {
  FactText fact{};
  text.copy(fact.data(), fact.size() - 1);
  return fact;
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return name.data();
}

std::vector<std::string> gather_everywhere(const std::string& text, int size) {
  const FactText own = fact_text(text);
  std::vector<FactText> all(static_cast<std::size_t>(size));
  MPI_Allgather(own.data(), count_of(own.size()), MPI_CHAR, all.data(), count_of(own.size()),
                MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (const FactText& fact : all) texts.emplace_back(fact.data());
  return texts;
}

}  // namespace

MpiRanks::MpiRanks(int* argc, char*** argv) {
  int given = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);  // one thread calls; others compute
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  find_host_mates();
  exchange_facts();
}

MpiRanks::~MpiRanks() {
  MPI_Finalize();
}

void MpiRanks::find_host_mates() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &place_on_host_);
  MPI_Comm_size(host, &ranks_on_host_);
  MPI_Comm_free(&host);
}

void MpiRanks::exchange_facts() {
  const std::vector<std::string> hosts = gather_everywhere(host_name(), size_);
  const std::vector<std::string> builds = gather_everywhere(build_name(), size_);
  for (std::size_t k = 0; k < hosts.size(); ++k) facts_.push_back({hosts[k], builds[k]});
}

void MpiRanks::call_others() {
  tell_to_assist(*this);
}

void MpiRanks::broadcast(void* data, std::uint64_t bytes) {
  MPI_Bcast(data, count_of(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void MpiRanks::send(Index to, const void* data, std::uint64_t bytes) {
  MPI_Send(data, count_of(bytes), MPI_BYTE, to, data_tag, MPI_COMM_WORLD);
}

void MpiRanks::receive(Index from, void* data, std::uint64_t bytes) {
  MPI_Recv(data, count_of(bytes), MPI_BYTE, from, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void MpiRanks::send_report(const RankReport& report) {
  send_text(0, report_tag, text_of_report(report));
}

RankReport MpiRanks::receive_report(Index from) {
  return report_of_text(receive_text(from, report_tag, 50us));
}

void MpiRanks::tell_others(const std::string& command) {
  for (int to = 1; to < size_; ++to) send_text(to, command_tag, command);
}

std::string MpiRanks::await_command(bool attentive) {
  return receive_text(0, command_tag, attentive ? 50us : 2000us);
}

void MpiRanks::abort() {
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

}  // namespace lufact
