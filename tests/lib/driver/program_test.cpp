// Programs on the virtual GPU, and the records that they leave.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/json.h"
#include "lib/driver/options.h"

namespace ropewalk::driver {
namespace {

namespace files = std::filesystem;

struct ProgramOnTheVirtualGpu : ::testing::Test {
  void SetUp() override {
    std::string name = (files::temp_directory_path() / "driver_program.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { files::remove_all(folder); }

  // What it prints.
  std::string run(const std::string& what, const Options& options = {}) {
    std::ofstream(folder / options_file) << text_of(options);
    const std::string root = ROPEWALK_BINARY_DIR;
    const std::string command = std::string(folder_variable) + "=" + folder.string() + " timeout 60 " + root +
                                "/tests/driver_program " + module.string() + " " + what + " > " +
                                (folder / "out").string() + " 2>&1";
    const int status = std::system(command.c_str());
    exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read();
    std::stringstream text;
    text << std::ifstream(folder / "out").rdbuf();
    return text.str();
  }

  void read() {
    for (const files::directory_entry& entry : files::directory_iterator(folder)) {
      if (entry.path().extension() != ".jsonl") continue;
      ++processes;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) lines.push_back(parse_json(line, entry.path().string()));
    }
  }

  std::vector<Json> facts(const char* kind) const {
    std::vector<Json> out;
    for (const Json& line : lines) {
      if (line.contains(kind)) out.push_back(line[kind]);
    }
    return out;
  }
  std::vector<std::string> rules() const {
    std::vector<std::string> out;
    for (const Json& finding : facts("finding")) out.push_back(finding["rule"]);
    return out;
  }
  u64 launches() const {
    u64 out = 0;
    for (const Json& launch : facts("launch")) out += u64(launch["launches"]);
    return out;
  }

  files::path module = ROPEWALK_SOURCE_DIR "/tests/data/driver/program.ptx";
  files::path folder;
  int exit_code = 0, processes = 0;
  std::vector<Json> lines;
};
using RuleNames = std::vector<std::string>;

TEST_F(ProgramOnTheVirtualGpu, RunsAsOnAGpu) {
  EXPECT_EQ(run("right show free"), "2\n");
  EXPECT_EQ(exit_code, 0);
  EXPECT_EQ(rules(), RuleNames{});
  EXPECT_EQ(launches(), 1u);
  EXPECT_EQ(facts("end").size(), 1u);
}

TEST_F(ProgramOnTheVirtualGpu, LeavesItsFindings) {
  EXPECT_EQ(run("wrong wrong show"), "2\n");
  EXPECT_EQ(rules(), (RuleNames{"out-of-bounds-read", "out-of-bounds-write"}));
  const Json finding = facts("finding")[0];
  EXPECT_EQ(finding["kernel"]["name"], "scale");
  EXPECT_NE(finding["evidence"].dump().find("driver_program"), std::string::npos) << finding["evidence"];
  ASSERT_EQ(facts("again").size(), 2u);
  EXPECT_EQ(facts("again")[0]["times"], 1);
}

TEST_F(ProgramOnTheVirtualGpu, LoadsThePtxBesideACubin) {
  files::copy_file(module, folder / "program.ptx");
  module = folder / "program.cubin";
  std::ofstream(module) << "\x7f"
                           "ELF";
  EXPECT_EQ(run("right show free"), "2\n");
  EXPECT_EQ(rules(), RuleNames{});
  files::remove(folder / "program.ptx");
  EXPECT_NE(run("right").find("CUDA_ERROR_NO_BINARY_FOR_GPU"), std::string::npos);
}

// Their headers speak of more than there is.
TEST_F(ProgramOnTheVirtualGpu, RefusesImagesThatAreCutOff) {
  module = folder / "program.image";
  std::string elf =
      "\x7f"
      "ELF" +
      std::string(60, '\0');
  elf[40 + 2] = 1;         // sections at 65536,
  elf[58] = elf[60] = 64;  // 64 of 64 bytes each
  const std::string fat_binary("\x50\xed\x55\xba\x01\x00\x10\x00\x00\x00\x01\x00\x00\x00\x00\x00", 16);
  const std::string wrapper("\xb1\x43\x62\x46\x01\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00", 16);
  for (const std::string& image : {elf, fat_binary, wrapper, elf.substr(0, 4), fat_binary.substr(0, 4)}) {
    std::ofstream(module) << image;
    EXPECT_NE(run("right").find("CUDA_ERROR_NO_BINARY_FOR_GPU"), std::string::npos);
    EXPECT_EQ(exit_code, 3);  // its own, of a call that fails
  }
}

TEST_F(ProgramOnTheVirtualGpu, LaunchesFromEightThreads) {
  EXPECT_EQ(run("threads show"), "2\n");
  EXPECT_EQ(rules(), RuleNames{});
  EXPECT_EQ(launches(), 400u);
}

TEST_F(ProgramOnTheVirtualGpu, UnloadsItsModule) {
  EXPECT_EQ(run("right unload"), "a kernel of a module that was unloaded: 400\n");
  EXPECT_EQ(rules(), RuleNames{});
}

TEST_F(ProgramOnTheVirtualGpu, MisusesItsMemory) {
  EXPECT_EQ(run("memory"), "too much: 2\nhost copy: 1\ninside: 1\ntwice: 1\n");
  EXPECT_EQ(rules(), (RuleNames{"out-of-bounds-read", "invalid-free", "double-free"}));
}

TEST_F(ProgramOnTheVirtualGpu, LeaksWhereThatIsAskedFor) {
  run("right");
  EXPECT_EQ(rules(), RuleNames{});
  lines.clear();
  Options options;
  options.leaks = true;
  run("right", options);
  // Both are made by one call of the same name.
  EXPECT_EQ(rules(), RuleNames{"memory-leak"});
}

TEST_F(ProgramOnTheVirtualGpu, RunsOutOfMemory) {
  Options options;
  options.memory_bytes = 500;
  EXPECT_NE(run("right", options).find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
  EXPECT_EQ(exit_code, 3);
  EXPECT_EQ(facts("end").size(), 1u);
}

TEST_F(ProgramOnTheVirtualGpu, CapturesAGraph) {
  EXPECT_EQ(run("graph"), "2 nodes: 0 2\n");
  EXPECT_EQ(rules(), RuleNames{});
  EXPECT_EQ(launches(), 3u);
}

TEST_F(ProgramOnTheVirtualGpu, LinksAndAsks) {
  EXPECT_EQ(run("link ask"),
            "linked: 108, defined twice: 200\n"
            "cuMemAlloc is cuMemAlloc_v2: 1\ncuNoSuch: 0, 1\na private table: 801\n"
            "8 blocks of 256 threads on compute capability 8\n");
  ASSERT_EQ(facts("unsupported").size(), 1u);
  EXPECT_EQ(facts("unsupported")[0]["function"], "cuGetExportTable");
  EXPECT_NE(std::string(facts("unsupported")[0]["caller"]).find("driver_program"), std::string::npos);
}

TEST_F(ProgramOnTheVirtualGpu, Crashes) {
  run("wrong crash");
  EXPECT_NE(exit_code, 0);
  EXPECT_EQ(rules(), (RuleNames{"out-of-bounds-read", "out-of-bounds-write"}));
  EXPECT_TRUE(facts("end").empty());
}

TEST_F(ProgramOnTheVirtualGpu, LeavesWithoutAWord) {
  run("wrong leave");
  EXPECT_EQ(exit_code, 5);
  EXPECT_EQ(rules().size(), 2u);
}

TEST_F(ProgramOnTheVirtualGpu, Forks) {
  run("right fork");
  EXPECT_EQ(processes, 2);
  EXPECT_TRUE(rules().empty());  // the child cannot use what the parent has initialised: its launch does not run
  EXPECT_EQ(facts("end").size(), 2u);
}

TEST_F(ProgramOnTheVirtualGpu, KeepsTheErrorOfATrap) {
  EXPECT_EQ(run("trap"), "after a trap: 719\n");
  EXPECT_EQ(rules(), RuleNames{"device-assert"});
}

}  // namespace
}  // namespace ropewalk::driver
