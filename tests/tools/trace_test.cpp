// rope-check trace on a program with faults (tests/lib/trace/traced_program.cpp), whose driver and CUPTI are stand-ins.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "tests/tools/program.h"

namespace ropewalk::testing {
namespace {

const std::string folder = std::string(ROPEWALK_BINARY_DIR) + "/tests/";

class Trace : public ::testing::Test {
 protected:
  void SetUp() override { setenv("ROPEWALK_CUPTI", (folder + "libstand_in_cupti.so").c_str(), 1); }
  void TearDown() override {
    for (const char* name :
         {"ROPEWALK_CUPTI", "ROPEWALK_STAND_IN_OLD", "ROPEWALK_STAND_IN_SUBSCRIBED", "CUDA_LAUNCH_BLOCKING"})
      unsetenv(name);
  }

  struct Traced {
    ProgramResult program;
    Json report;
    const Json& error() const { return report["processes"].at(0)["errors"].at(0); }
    // The launch that the error is about.
    const Json& suspect() const {
      for (const Json& launch : error()["launches"]) {
        if (launch["number"] == error()["suspects"].at(0)) return launch;
      }
      throw std::runtime_error("no suspect");
    }
    bool says(const std::string& text) const { return program.errors.find(text) != std::string::npos; }
  };
  // traced_program with these words; `options` of the trace.
  static Traced trace(const std::string& words, const std::string& options = "") {
    const std::string path = scratch("trace.json");
    Traced out;
    out.program = rope_check("trace --report " + path + " " + options + " -- " + folder + "traced_program " + words);
    const MappedFile file(path);
    out.report = parse_json(file.text(), path);
    return out;
  }
  using Numbers = std::vector<u64>;
};

TEST_F(Trace, HealthyProgramsAreClean) {
  for (const char* name : {"late", "unclear", "noticed-by-copy", "streams", "second-stream", "freed", "configuration",
                           "many", "other-launches", "crash", "forks"}) {
    for (const char* options : {"", "--serialize"}) {
      const Traced traced = trace(std::string(name) + " healthy", options);
      EXPECT_EQ(traced.program.exit_code, 0) << name << options << traced.program.errors;
      EXPECT_EQ(traced.report["verdict"], "clean");
      EXPECT_TRUE(traced.report["processes"].at(0)["errors"].empty()) << name;
      EXPECT_GT(traced.report["processes"].at(0)["launches"], 0) << name;
    }
  }
}

TEST_F(Trace, TheLaunchThatFailedIsReportedAndNotTheCallThatNoticed) {
  const Traced traced = trace("late");
  EXPECT_EQ(traced.program.exit_code, 1);
  EXPECT_EQ(traced.error()["code"], 700);
  EXPECT_EQ(traced.error()["noticed_by"], "cuStreamSynchronize");
  EXPECT_EQ(traced.error()["exact"], true);
  EXPECT_EQ(traced.error()["suspects"].get<Numbers>(), Numbers{4});
  EXPECT_EQ(traced.error()["launches"].size(), 4u);
  EXPECT_EQ(traced.suspect()["kernel"], "add_one");
  const Json& arguments = traced.suspect()["arguments"];
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0]["value"], "0x100000");
  EXPECT_FALSE(arguments[0].contains("pointer"));
  EXPECT_EQ(arguments[1]["pointer"]["state"], "live");
  EXPECT_EQ(arguments[1]["pointer"]["allocation"]["bytes"], 256);
  EXPECT_EQ(arguments[1]["pointer"]["offset"], 0);
  EXPECT_EQ(arguments[2]["value"], "0x40");
  EXPECT_EQ(traced.error()["operations"].at(0)["name"], "cuMemcpyHtoD_v2");
  EXPECT_TRUE(traced.says("the program exited with 9"));
}

TEST_F(Trace, WhereSeveralRemainTheyAreCandidatesAndSerializeTellsWhich) {
  const Traced traced = trace("unclear");
  EXPECT_EQ(traced.error()["exact"], false);
  EXPECT_EQ(traced.error()["suspects"].get<Numbers>(), (Numbers{1, 2, 3, 4}));
  EXPECT_TRUE(traced.says("one of 4 launches"));
  EXPECT_TRUE(traced.says("--serialize tells the launch exactly"));
  const Traced exact = trace("unclear", "--serialize");
  EXPECT_EQ(exact.program.exit_code, 1);
  EXPECT_EQ(exact.error()["exact"], true);
  EXPECT_EQ(exact.error()["suspects"].get<Numbers>(), Numbers{3});
  // The driver can be asked to wait by itself.
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  EXPECT_EQ(trace("late").error()["suspects"].get<Numbers>(), Numbers{4});
}

TEST_F(Trace, CopiesStreamsAndEventsNarrowIt) {
  EXPECT_EQ(trace("noticed-by-copy").error()["noticed_by"], "cuMemcpyDtoH_v2");
  EXPECT_EQ(trace("streams").error()["suspects"].get<Numbers>(), Numbers{3});
  EXPECT_EQ(trace("second-stream").error()["suspects"].get<Numbers>(), (Numbers{1, 2}));
  EXPECT_EQ(trace("second-stream", "--serialize").error()["suspects"].get<Numbers>(), Numbers{2});
}

TEST_F(Trace, MemoryThatWasGivenBackIsReported) {
  const Traced traced = trace("freed");
  const Json& pointer = traced.suspect()["arguments"].at(1)["pointer"];
  EXPECT_EQ(pointer["state"], "freed");
  EXPECT_EQ(pointer["allocation"]["freed_by"], "cuMemFree_v2");
  EXPECT_EQ(pointer["freed_after_launch"], 1);
  EXPECT_TRUE(traced.says("which cuMemFree_v2 had given back after launch 1")) << traced.program.errors;
}

TEST_F(Trace, ARefusedLaunchIsAnErrorEvenIfTheProgramIsContent) {
  const Traced traced = trace("configuration");
  EXPECT_EQ(traced.program.exit_code, 1);
  EXPECT_EQ(traced.report["end"]["exit_code"], 0);
  EXPECT_EQ(traced.error()["code"], 1);
  EXPECT_EQ(traced.suspect()["block"], Json({2048, 1, 1}));
  EXPECT_EQ(traced.suspect()["state"], "refused");
}

TEST_F(Trace, LaunchesThatAreNoLongerKeptMayBeIt) {
  const Traced traced = trace("many", "--keep 8");
  EXPECT_EQ(traced.error()["launches"].size(), 8u);
  EXPECT_EQ(traced.error()["launches"].at(0)["number"], 43);
  EXPECT_EQ(traced.error()["older_possible"], true);
  EXPECT_EQ(traced.error()["exact"], false);
  EXPECT_TRUE(traced.says("--keep keeps more"));
  EXPECT_EQ(trace("many", "--keep 50").error()["older_possible"], false);
  EXPECT_EQ(trace("many", "--keep 1 --serialize").error()["suspects"].get<Numbers>(), Numbers{50});
}

TEST_F(Trace, ArgumentsAreReadFromBuffersAndConfigurationsAndFromThePtxOfOldDrivers) {
  const Traced traced = trace("other-launches", "--keep 2");
  EXPECT_EQ(traced.error()["suspects"].get<Numbers>(), Numbers{2});
  EXPECT_EQ(traced.suspect()["arguments"].at(0)["value"], "0x100000");
  setenv("ROPEWALK_STAND_IN_OLD", "1", 1);
  const Traced old = trace("late");
  EXPECT_EQ(old.suspect()["arguments"].at(0)["value"], "0x100000");
  EXPECT_EQ(old.suspect()["arguments"].at(1)["pointer"]["state"], "live");
}

TEST_F(Trace, ProcessesAreDistinguished) {
  const Traced child = trace("child");
  EXPECT_EQ(child.program.exit_code, 1);
  EXPECT_EQ(child.error()["suspects"].get<Numbers>(), Numbers{4});
  const Traced forks = trace("forks");
  EXPECT_EQ(forks.report["processes"].size(), 1u);
  EXPECT_EQ(forks.error()["suspects"].get<Numbers>(), (Numbers{1, 2}));
}

TEST_F(Trace, WhatCannotBeTracedIsNotClean) {
  const Traced none = trace("no-cuda");
  EXPECT_EQ(none.program.exit_code, 3);
  EXPECT_TRUE(none.says("not run: the program never started the CUDA driver"));
  const Traced died = trace("crash");
  EXPECT_EQ(died.program.exit_code, 3);
  EXPECT_TRUE(died.says("the program died of signal 6"));
  setenv("ROPEWALK_STAND_IN_SUBSCRIBED", "1", 1);
  const Traced taken = trace("late healthy");
  EXPECT_EQ(taken.program.exit_code, 3);
  EXPECT_TRUE(taken.says("another tool listens to this process already")) << taken.program.errors;
  setenv("ROPEWALK_CUPTI", "no_such_library.so", 1);
  const Traced without = trace("late healthy");
  EXPECT_EQ(without.program.exit_code, 3);
  EXPECT_TRUE(without.says("CUPTI cannot be opened (tried no_such_library.so)")) << without.program.errors;
  EXPECT_TRUE(without.program.output.find("done") != std::string::npos) << "the program itself runs as ever";
}

TEST_F(Trace, BadUsageIsOneLine) {
  for (const auto& [arguments, message] : {std::pair("trace", "a program is missing"),
                                           {"trace -- /no/such/program", "cannot be run"},
                                           {"trace --keep 0 -- true", "--keep"},
                                           {"trace --report a.txt -- true", ".json"},
                                           {"trace --at 3 -- true", "--capture is missing"},
                                           {"trace --serialise -- true", "did you mean"}}) {
    const ProgramResult result = rope_check(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  }
}

TEST_F(Trace, ACapturedLaunchIsFoundByTheMachine) {
  const std::string folder = scratch("captured");
  const Traced traced = trace("late", "--capture " + folder);
  EXPECT_EQ(traced.error()["captured"]["file"], folder + "/launch.json") << traced.program.errors;
  const Reported replayed = rope_check_report("launch " + folder + "/launch.json");
  EXPECT_EQ(replayed.program.exit_code, 1);
  ASSERT_FALSE(replayed.report.findings.empty());
  EXPECT_EQ(replayed.report.findings[0].rule, Rule::OutOfBoundsRead);
  EXPECT_EQ(replayed.report.findings[0].access->tensor, "argument1");
  std::filesystem::remove_all(folder);
  trace("freed", "--capture " + folder);
  const Reported freed = rope_check_report("launch " + folder + "/launch.json");
  ASSERT_FALSE(freed.report.findings.empty());
  EXPECT_EQ(freed.report.findings[0].rule, Rule::UseAfterFree);
  std::filesystem::remove_all(folder);
  // A launch that is asked for, and the memory that it had: the first launch has added one to each element.
  const Traced asked = trace("late healthy", "--at 2 --capture " + folder);
  EXPECT_EQ(asked.program.exit_code, 0) << asked.program.errors;
  const std::string outputs = scratch("outputs");
  EXPECT_EQ(rope_check("launch " + folder + "/launch.json").exit_code, 0);
  const MappedFile launch(folder + "/launch.json");
  const Json json = parse_json(launch.text(), "launch.json");
  EXPECT_EQ(json["tensors"]["argument1"]["init"]["values"].at(5), 16);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ropewalk::testing
