// Sources that show that nobody returns early, and those that leave it open.
#include "lib/machine/early_return.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ropewalk::machine {
namespace {

// A kernel whose barrier has location 2, of a source with this text; the instructions know lines `first` to `last`.
bool never_returns(const std::string& text, u32 first, u32 barrier, u32 last) {
  ptx::Module module;
  module.files.push_back("k.cu");
  ptx::Function function;
  function.locations = {{}, {1, first, 1, 0, 0}, {1, barrier, 1, 0, 0}, {1, last, 1, 0, 0}};
  const SourceLines line = [&](const std::string& file, u64 number) -> std::optional<std::string> {
    EXPECT_EQ(file, "k.cu");
    std::istringstream in(text);
    std::string out;
    for (u64 n = 0; n < number; ++n) {
      if (!std::getline(in, out)) return std::nullopt;
    }
    return out;
  };
  return source_never_returns(module, function, 2, line);
}

const std::string other = "__device__ int f() {\n  return 1;\n}\n";  // lines 1 to 3

TEST(EarlyReturn, IsNowhereInAFunctionThatRunsToItsEnd) {
  EXPECT_TRUE(never_returns(other + "__global__ void k() {\n  if (t < 9) __syncthreads();\n  out[t] = 1;\n}\n" + other,
                            4, 5, 7));
  EXPECT_TRUE(never_returns("void k()\n{\n  g();  // the return is at the end\n  f();\n}\n", 2, 3, 4));
}

TEST(EarlyReturn, IsNotTheValueThatAFunctionGivesAtItsEnd) {
  EXPECT_TRUE(never_returns("int k() {\n  f();\n  g();\n  return a + b;  // the sum\n\n}\n", 1, 3, 4));
  EXPECT_TRUE(never_returns("int k() { f(); g(); return a + b; }\n", 1, 1, 1));
  EXPECT_FALSE(never_returns("int k() {\n  if (a) return 0;\n  g();\n  return a + b;\n}\n", 1, 3, 4));
  EXPECT_FALSE(never_returns("int k() { if (a) return 0; g(); return a + b; }\n", 1, 1, 1));
  EXPECT_FALSE(never_returns("int k() {\n  f();\n  g();\n  if (a)\n    return a + b;\n  h();\n}\n", 1, 3, 6));
  EXPECT_FALSE(never_returns("int k() {\n  f();\n  g();\n  if (a) {\n    return a + b;\n  }\n  h();\n}\n", 1, 3, 7));
}

TEST(EarlyReturn, MayBeBeforeTheFirstLineOrBehindTheLastThatInstructionsKnow) {
  const std::string text = "void k() {\n  if (a) return;\n  f();\n  g();\n  h();\n  if (b) {\n    return;\n  }\n}\n";
  EXPECT_FALSE(never_returns(text, 3, 4, 5));
  EXPECT_FALSE(never_returns("void k() {\n  f();\n  g();\n  h();\n  if (b) return;\n}\n", 1, 3, 4));
}

TEST(EarlyReturn, MayBeHiddenByAMacroAJumpOrAssembly) {
  for (const char* hides : {"CHECK_BOUNDS(t, n);", "if (a) goto done;", "asm volatile(\"exit;\");", "__trap();"}) {
    EXPECT_FALSE(never_returns(std::string("void k() {\n  ") + hides + "\n  f();\n  g();\n}\n", 1, 3, 4)) << hides;
  }
}

TEST(EarlyReturn, IsNotKnownWithoutASource) {
  EXPECT_FALSE(never_returns("", 1, 2, 3));
  ptx::Module module;
  ptx::Function function;
  function.locations = {{}, {0, 1, 1, 0, 0}};
  EXPECT_FALSE(source_never_returns(module, function, 1, nullptr));
  EXPECT_FALSE(source_never_returns(module, function, 0, [](const std::string&, u64) { return std::string(); }));
}

}  // namespace
}  // namespace ropewalk::machine
