// Calls of a runtime that is inside a program go to the virtual GPU's.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/driver/options.h"

namespace ropewalk::driver {
namespace {

namespace files = std::filesystem;

const std::string built = ROPEWALK_BINARY_DIR;

struct StaticRuntime : ::testing::Test {
  void SetUp() override {
    std::string name = (files::temp_directory_path() / "static_runtime.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    std::ofstream(folder / options_file) << text_of({});
  }
  void TearDown() override { files::remove_all(folder); }

  // What a command prints under the dynamic linker's audit.
  std::string run(const std::string& command) {
    const std::string all = std::string(folder_variable) + "=" + folder.string() + " LD_AUDIT=" + built +
                            "/lib/virtual/libropewalk_static_runtime.so " + command + " 2>&1";
    std::string out;
    std::FILE* const pipe = popen(all.c_str(), "r");
    for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) out.push_back(char(c));
    status = pclose(pipe);
    return out;
  }
  std::string run_program(int version) {
    return run(built + "/tests/static_runtime_program_" + std::to_string(version));
  }

  files::path folder;
  int status = -1;
};

TEST_F(StaticRuntime, OfCuda12And13IsTheVirtualOne) {
  EXPECT_EQ(run_program(12), "12 2 0 0 7770 7770 ");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run_program(13), "13 2 0 0 7770 7770 ");
  EXPECT_EQ(status, 0);
}

// Its structs are others.
TEST_F(StaticRuntime, OfAnEarlierVersionIsLeftAlone) { EXPECT_EQ(run_program(11), "0 2 100 "); }

TEST_F(StaticRuntime, WithoutSymbolsIsLeftAlone) {
  const std::string stripped = (folder / "stripped").string();
  run("strip -o " + stripped + " " + built + "/tests/static_runtime_program_13");
  ASSERT_EQ(status, 0);
  EXPECT_EQ(run(stripped), "0 2 100 ");
}

TEST_F(StaticRuntime, IsLookedForInAnyFile) {
  EXPECT_EQ(run("sh -c 'echo here'"), "here\n");
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ropewalk::driver
