// SPDX-License-Identifier: BSD-3-Clause
// What `fast` chooses by the shipped rates on generated matrices, beside a table of what it chose
// before rates were data and before selectors were one: a change of either must not change it.
// LUFACT_WRITE_CHOICES=FILE writes the table.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/choose/test/front_family.hpp"
#include "core/generate/generate.hpp"
#include "core/matrix/facts.hpp"
#include "core/order/metis_ordering.hpp"

namespace lufact {
namespace {

struct Case {
  const char* name;
  GeneratorFacts matrix;
};

std::vector<Case> cases() {
  return {{"grid2d-20", {"grid2d", {{"nx", 20}, {"ny", 20}}, 1}},
          {"grid2d-70", {"grid2d", {{"nx", 70}, {"ny", 70}}, 1}},
          {"grid2d-150", {"grid2d", {{"nx", 150}, {"ny", 150}}, 1}},
          {"grid3d-14", {"grid3d", {{"nx", 14}, {"ny", 14}, {"nz", 14}}, 1}},
          {"circuit-300", {"circuit", {{"n", 300}}, 1}},
          {"circuit-2500", {"circuit", {{"n", 2500}}, 2}},
          {"circuit-9000", {"circuit", {{"n", 9000}}, 3}},
          {"planar-4000", {"planar", {{"n", 4000}}, 1}},
          {"planar-20000", {"planar", {{"n", 20000}}, 1}},
          {"random-400", {"random", {{"n", 400}, {"nnz_per_row", 3}}, 1}},
          {"netlist-6000", {"netlist", {{"n", 6000}, {"nnz", 30000}}, 1}},
          {"economic-1500", {"economic", {{"n", 1500}, {"nnz", 12000}, {"periods", 20}}, 1}},
          {"harmonic-3000", {"harmonic", {{"n", 3000}, {"nnz", 20000}, {"harmonics", 4}}, 1}}};
}

std::string choices_of(const CsrMatrix& matrix, int threads, int refactorizations) {
  RunSettings settings;
  settings.until = Until::levelize;
  settings.verify = VerifyLevel::none;
  settings.options.threads = threads;
  settings.options.expect_refactorizations = refactorizations;
  std::string line;
  for (const Choice& choice : test::choices_of_fronts(matrix, settings)) {
    if (choice.stage != "ordering/separator") line += fmt::format("\t{}", choice.chosen);
  }
  return line;
}

std::vector<std::string> choices_now() {
  std::vector<std::string> lines;
  for (const Case& one : cases()) {
    const CsrMatrix matrix = generate_matrix(one.matrix);
    for (const int threads : {1, 4, 16}) {
      for (const int refactorizations : {0, 30, 1000}) {
        lines.push_back(fmt::format("{}\t{}\t{}{}", one.name, threads, refactorizations,
                                    choices_of(matrix, threads, refactorizations)));
      }
    }
  }
  return lines;
}

std::vector<std::string> recorded() {
  std::ifstream file(LUFACT_RECORDED_CHOICES);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(RecordedChoices, AreMadeStill) {
  if (!metis_available()) GTEST_SKIP() << "the table is of a build with METIS";
  const std::vector<std::string> now = choices_now();
  if (const char* path = std::getenv("LUFACT_WRITE_CHOICES")) {
    std::ofstream(path) << fmt::format("{}\n", fmt::join(now, "\n"));
  }
  EXPECT_EQ(now, recorded());
}

}  // namespace
}  // namespace lufact
