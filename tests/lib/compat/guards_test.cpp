#include <gtest/gtest.h>

#include "lib/compat/state.h"

namespace ropewalk {
namespace {

class Guards : public ::testing::Test {
 protected:
  // "true", "false" or "open".
  std::string truth(const std::string& condition) {
    const PythonFile file = read_python("a.py", "if " + condition + ": pass\n");
    const auto known = truth_of(TokenSpan(file.statements[0].tokens).subspan(1), state, provider);
    return !known ? "open" : *known ? "true" : "false";
  }
  void take(const std::string& condition, bool truth) {
    const PythonFile file = read_python("a.py", "if " + condition + ": pass\n");
    assume(TokenSpan(file.statements[0].tokens).subspan(1), truth, state, provider);
  }
  PythonState state;
  ProviderView provider{"flash-attn", parse_version("2.6.3"), {}};
};

TEST_F(Guards, VersionsAreCompared) {
  EXPECT_EQ(truth("PkgVersion(get_pkg_version('flash-attn')) >= PkgVersion('2.6.0')"), "true");
  EXPECT_EQ(truth("version.parse(flash_attn.__version__) < version.parse('2.6.3')"), "false");
  EXPECT_EQ(truth("Version('2.1') <= Version(version('flash_attn')) <= Version('2.6.3')"), "true");
  EXPECT_EQ(truth("Version(version('other')) >= Version('1')"), "open");
}

TEST_F(Guards, FlagsAreTakenAtTheirName) {
  EXPECT_EQ(truth("_flash_attn_2_6_0_plus"), "true");
  EXPECT_EQ(truth("fa_utils.v2_7_0_plus"), "false");
  EXPECT_EQ(truth("_flash_attn_2_3_plus and not _flash_attn_2_7_0_plus"), "true");
  EXPECT_EQ(truth("use_it or _flash_attn_2_7_0_plus"), "open");
}

TEST_F(Guards, WhatIsDecidedOnceStaysDecided) {
  EXPECT_EQ(truth("causal"), "open");
  take("causal and not fused", true);
  EXPECT_EQ(truth("causal"), "true");
  EXPECT_EQ(truth("fused or late"), "open");
  take("fused or late", true);
  EXPECT_EQ(truth("late"), "true");
}

TEST_F(Guards, TextsExcludeEachOther) {
  take("layout == 'thd'", true);
  EXPECT_EQ(truth("layout in ['bshd', 'sbhd']"), "false");
  EXPECT_EQ(truth("layout != 'thd'"), "false");
  take("mode in ('a', 'b')", true);
  EXPECT_EQ(truth("mode == 'c'"), "false");
  EXPECT_EQ(truth("mode == 'a'"), "open");
  take("mode == 'a'", false);
}

TEST_F(Guards, AnAssignmentForgetsWhatWasDecided) {
  take("layout == 'thd'", true);
  state.set("layout", {});
  EXPECT_EQ(truth("layout == 'thd'"), "open");
}

}  // namespace
}  // namespace ropewalk
