#include "lib/base/source_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ropewalk {
namespace {

namespace fs = std::filesystem;

// Two folders for checkouts, which are gone with the test.
class Checkouts : public ::testing::Test {
 protected:
  Checkouts() {
    std::string name = (fs::temp_directory_path() / "ropewalk-checkouts-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no scratch folder");
    top_ = name;
    for (const char* checkout : {"a", "b"}) {
      fs::create_directories(top_ + "/" + checkout + "/.git");
      fs::create_directories(top_ + "/" + checkout + "/csrc");
    }
  }
  ~Checkouts() override { fs::remove_all(top_); }

  void write(const std::string& file, const std::string& text) { std::ofstream(top_ + "/" + file) << text; }
  std::string at(const std::string& file) const { return top_ + "/" + file; }

  std::string top_;
};

TEST_F(Checkouts, AreFoundUpwards) {
  EXPECT_EQ(checkout_of(at("a/csrc/none/k.cu")), at("a"));
  EXPECT_EQ(checkout_of(at("a")), at("a"));
  EXPECT_EQ(checkout_of("/"), "");
}

TEST_F(Checkouts, PathsInTheRootAreRelative) {
  const SourcePaths paths(at("a"));
  EXPECT_EQ(paths.of_source(at("a/csrc/k.cu")), "csrc/k.cu");
  EXPECT_EQ(paths.of_source(at("a/csrc/../csrc/./k.cu")), "csrc/k.cu");
  EXPECT_EQ(paths.of_source("csrc/k.cu"), "csrc/k.cu");
  EXPECT_EQ(paths.of_source("./k.cu"), "./k.cu");  // seen from a folder that nobody knows
  EXPECT_EQ(paths.of_source(""), "");
  EXPECT_EQ(paths.of_source(at("ab/k.cu")), at("ab/k.cu"));
  EXPECT_EQ(SourcePaths().of_source(at("a/csrc/k.cu")), at("a/csrc/k.cu"));
}

TEST_F(Checkouts, ALinkOnTheWayDoesNotMatter) {
  fs::create_directory_symlink(at("a"), at("link"));
  write("a/csrc/k.cu", "x");
  EXPECT_EQ(SourcePaths(at("a")).of_source(at("link/csrc/k.cu")), "csrc/k.cu");
  EXPECT_EQ(SourcePaths(at("link")).of_source(at("a/csrc/k.cu")), "csrc/k.cu");
}

TEST_F(Checkouts, FilesOfAnotherCheckoutAreTakenForOursWhereNothingSpeaksAgainstIt) {
  write("b/csrc/k.cu", "x");
  const SourcePaths paths(at("b"));
  EXPECT_EQ(paths.of_source(at("a/csrc/k.cu")), "csrc/k.cu");  // it is not there any more
  EXPECT_EQ(paths.other_checkouts(), std::vector<std::string>{at("a")});
  write("a/csrc/k.cu", "x");
  EXPECT_EQ(SourcePaths(at("b")).of_source(at("a/csrc/k.cu")), "csrc/k.cu");  // it has the same bytes
  write("a/csrc/k.cu", "y");
  const SourcePaths others(at("b"));
  EXPECT_EQ(others.of_source(at("a/csrc/k.cu")), at("a/csrc/k.cu"));  // it is another file
  EXPECT_TRUE(others.other_checkouts().empty());
  EXPECT_EQ(paths.of_source("/no/such/place/other.cu"), "/no/such/place/other.cu");
}

TEST_F(Checkouts, ToolkitsAndPackagesAreNobodysCheckout) {
  fs::create_directories(at("b/include"));
  write("b/include/cuda_fp16.h", "x");
  const SourcePaths paths(at("b"));
  EXPECT_EQ(paths.of_source("/none/cuda/include/cuda_fp16.h"), "/none/cuda/include/cuda_fp16.h");
}

TEST_F(Checkouts, PrefixesAreMapped) {
  const SourcePaths paths(at("a"),
                          {{"/build", "."}, {"/build/vendor/", "third_party"}, {"../x", "x"}, {"/abs", at("a")}});
  EXPECT_EQ(paths.of_source("/build/csrc/k.cu"), "csrc/k.cu");
  EXPECT_EQ(paths.of_source("/build/vendor/v.cu"), "third_party/v.cu");
  EXPECT_EQ(paths.of_source("/builder/k.cu"), "/builder/k.cu");
  EXPECT_EQ(paths.of_source("../x/k.cu"), "x/k.cu");
  EXPECT_EQ(paths.of_source("/abs/csrc/k.cu"), "csrc/k.cu");
}

TEST_F(Checkouts, APrefixThatFitsNoPathIsTold) {
  const SourcePaths paths(at("a"), {{"/build", "."}, {"/biuld/", "."}});
  EXPECT_EQ(paths.prefixes_without_paths(), std::vector<std::string>());  // of no path nothing can be said
  paths.of_source("/build/csrc/k.cu");
  paths.of_source("/elsewhere/k.cu");
  EXPECT_EQ(paths.prefixes_without_paths(), std::vector<std::string>{"/biuld"});
}

TEST_F(Checkouts, FilesThatAreOpenedAreSeenFromTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(at("a/csrc"));
  EXPECT_EQ(SourcePaths(at("a")).of_file("k.ptx"), "csrc/k.ptx");
  EXPECT_EQ(SourcePaths(at("a")).of_file("../k.ptx"), "k.ptx");
  EXPECT_EQ(SourcePaths(at("b")).of_file("k.ptx"), "k.ptx");
  fs::current_path(before);
}

TEST(TravellingName, IsTheSameOnEveryMachine) {
  EXPECT_EQ(travelling_name("csrc/include/k.cuh"), "csrc/include/k.cuh");
  EXPECT_EQ(travelling_name("/usr/local/cuda-12.4/include/cuda_fp16.hpp"), "include/cuda_fp16.hpp");
  EXPECT_EQ(travelling_name("/opt/cuda/targets/x86_64-linux/include/crt/mma.hpp"), "include/crt/mma.hpp");
  EXPECT_EQ(travelling_name("/srv/a/.venv/lib/python3.11/site-packages/fla/ops/x.py"), "site-packages/fla/ops/x.py");
  EXPECT_EQ(travelling_name(".venv/lib/python3.11/dist-packages/fla/ops/x.py"), "site-packages/fla/ops/x.py");
  EXPECT_EQ(travelling_name("/srv/a/k.cu"), "k.cu");
  EXPECT_EQ(travelling_name(""), "");
}

}  // namespace
}  // namespace ropewalk
