// Rewritten modules as text: they read back as the same module, and NVIDIA's assembler takes them.
#include "lib/ptx/instrument.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/base/error.h"
#include "lib/ptx/read.h"
#include "lib/ptx/write.h"

namespace ropewalk::ptx {
namespace {

std::vector<std::string> kernel_files() {
  std::vector<std::string> files;
  for (const char* folder :
       {"kernels/ptx", "tests/data/machine/checks", "tests/data/machine/kernels", "tests/kernels/general"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Rewritten : public testing::TestWithParam<std::string> {};

TEST_P(Rewritten, reads_back_as_the_same_module) {
  const Instrumented rewritten = instrument(read_file(GetParam()));
  const Module again = read(write(*rewritten.module), "rewritten");
  EXPECT_TRUE(same(*rewritten.module, again));
  EXPECT_FALSE(rewritten.sites.empty());
  EXPECT_TRUE(rewritten.unchecked.empty()) << rewritten.unchecked[0];
}

// The toolkit's assembler, "" where there is none.
std::string ptxas() {
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& program :
       {std::string(home ? home : "/usr/local/cuda") + "/bin/ptxas", std::string("ptxas")}) {
    if (std::system((program + " --version > /dev/null 2>&1").c_str()) == 0) return program;
  }
  return "";
}

TEST_P(Rewritten, is_taken_by_the_assembler) {
  const std::string assembler = ptxas();
  if (assembler.empty()) GTEST_SKIP() << "there is no ptxas here (CUDA_HOME says where the toolkit is)";
  const Module module = read_file(GetParam());
  const std::string stem = testing::TempDir() + "/" + std::filesystem::path(GetParam()).stem().string();
  std::ofstream(stem + "_rewritten.ptx") << write(*instrument(module).module);
  // The oldest architecture that this toolkit still makes code for may be newer than the module's.
  const std::string target = std::stoi(module.target.substr(3)) < 75 ? "sm_75" : module.target;
  const std::string command =
      fmt::format("{} -O1 -arch {} -o /dev/null {}_rewritten.ptx 2> {}_rewritten.log", assembler, target, stem, stem);
  const int status = std::system(command.c_str());
  std::ifstream log(stem + "_rewritten.log");
  EXPECT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(log), {});
}

INSTANTIATE_TEST_SUITE_P(Kernels, Rewritten, testing::ValuesIn(kernel_files()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

TEST(Instrument, refuses_what_it_cannot_rewrite) {
  const Module small =
      read(".version 8.0\n.target sm_80\n.address_size 32\n.visible .entry f() { ret; }\n", "small.ptx");
  EXPECT_THROW(instrument(small), InputError);
  const Module module = read(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n", "f.ptx");
  EXPECT_THROW(instrument(*instrument(module).module), InputError);
}

}  // namespace
}  // namespace ropewalk::ptx
