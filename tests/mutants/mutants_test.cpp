// Each operator makes the mistake that it says, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "lib/ptx/read.h"
#include "lib/ptx/write.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/reached.h"

namespace ropewalk::mutants {
namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u64 k_2)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [k_0];
  ld.param.u64 %rd2, [k_1];
  ld.param.u64 %rd3, [k_2];
  mov.u32 %r1, %tid.x;
  setp.ge.s32 %p1, %r1, 7;
  @%p1 bra END;
  cvt.s64.s32 %rd4, %r1;
  mul.lo.s64 %rd5, %rd2, %rd4;
  mul.lo.s64 %rd6, %rd3, %rd4;
AGAIN:
  add.s64 %rd7, %rd1, %rd5;
  ld.global.v2.f32 {%f1, %f2}, [%rd7];
  neg.f32 %f3, %f1;
  fma.rn.f32 %f4, %f1, %f2, %f3;
  bar.sync 0;
  st.global.f32 [%rd7+4], %f4;
  setp.ne.s32 %p2, %r1, 0;
  @%p2 bra AGAIN;
END:
  ret;
}
)";

// The lines of the module's text that the mutant has and the original has not, without space around them.
std::vector<std::string> new_lines(const ptx::Module& original, const ptx::Module& mutant) {
  const auto lines = [](const std::string& all) {
    std::multimap<std::string, bool> found;
    for (u64 at = 0; at < all.size();) {
      const u64 end = std::min(all.find('\n', at), all.size());
      const std::string line = all.substr(at, end - at);
      const u64 first = line.find_first_not_of(" \t");
      if (first != line.npos && !line.substr(first).starts_with(".reg")) found.emplace(line.substr(first), true);
      at = end + 1;
    }
    return found;
  };
  auto before = lines(ptx::write(original));
  std::vector<std::string> fresh;
  for (const auto& [line, here] : lines(ptx::write(mutant))) {
    if (const auto old = before.find(line); old != before.end()) {
      before.erase(old);
    } else {
      fresh.push_back(line);
    }
  }
  return fresh;
}

TEST(Mutants, each_operator_makes_its_mistake) {
  const ptx::Module module = ptx::read(text, "k.ptx");
  const std::map<std::string, std::vector<std::vector<std::string>>> expected = {
      {"relaxed-comparison", {{"setp.gt.s32 %p1, %r1, 7;"}}},
      {"shifted-bound", {{"add.s32 %mutant", "setp.ge.s32 %p1, %r1, %mutant"}}},
      {"negated-condition", {{"setp.eq.s32 %p2, %r1, 0;"}}},
      {"missing-mask", {{}}},
      {"cut-loop", {{}}},
      {"dropped-barrier", {{}}},
      {"half-vector", {{"ld.global.f32 %f1, [%rd7];"}}},
      {"shifted-address", {{"ld.global.v2.f32 {%f1, %f2}, [%rd7+4];"}, {"st.global.f32 [%rd7+8], %f4;"}}},
      {"dropped-store", {{}}},
      {"swapped-stride", {{"mul.lo.s64 %rd5, %rd3, %rd4;"}, {"mul.lo.s64 %rd6, %rd2, %rd4;"}}},
      {"int32-for-int64",
       {{"cvt.s64.s32 %rd5, %mutant", "cvt.u32.u64 %mutant"}, {"cvt.s64.s32 %rd6, %mutant", "cvt.u32.u64 %mutant"}}},
      {"wrong-axis", {{"mov.u32 %r1, %tid.y;"}}},
      {"half-element", {}},
      {"swapped-sum", {{"sub.s64 %rd7, %rd1, %rd5;"}}},
      {"dropped-term", {{"fma.rn.f32 %f4, %f1, %f2, 0"}}},
      {"dropped-sign", {{"mov.b32 %f3, %f1;"}}},
  };
  std::map<std::string, std::vector<std::vector<std::string>>> got;
  for (const Operator& rule : operators()) got[rule.name];
  for (const Mutant& mutant : mutants_of(module, "k")) {
    const auto changed = mutate(module, mutant);
    EXPECT_FALSE(ptx::same(module, *changed)) << mutant.name();
    // What the writer makes of a mutant reads back as the same.
    EXPECT_TRUE(ptx::same(ptx::read(ptx::write(*changed), "k.ptx"), *changed)) << mutant.name();
    got[mutant.rule].push_back(new_lines(module, *changed));
  }
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [rule, changes] : expected) {
    ASSERT_EQ(got[rule].size(), changes.size()) << rule;
    for (u64 n = 0; n < changes.size(); ++n) {
      ASSERT_EQ(got[rule][n].size(), changes[n].size()) << rule;
      for (u64 line = 0; line < changes[n].size(); ++line) {
        EXPECT_TRUE(got[rule][n][line].starts_with(changes[n][line])) << rule << ": " << got[rule][n][line];
      }
    }
  }
}

TEST(Mutants, what_is_executed_follows_from_the_sides_of_branches) {
  const ptx::Module module = ptx::read(text, "k.ptx");
  const ptx::Function& function = *module.entry("k");
  const u32 ends = function.instructions.size() - 1;
  u32 forward = 0, back = 0;
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    if (module.opcode(function.instructions[n]).stem == "bra") (forward ? back : forward) = n;
  }
  BranchCoverage seen;
  seen.branches.push_back({function.instructions[forward].line, true, false, false});
  std::vector<bool> executed = reached(module, function, seen);
  EXPECT_TRUE(executed[0] && executed[forward] && executed[ends]);
  EXPECT_FALSE(executed[forward + 1] || executed[back]);
  seen.branches.push_back({function.instructions[forward].line, false, true, false});
  seen.branches.push_back({function.instructions[back].line, false, true, false});
  executed = reached(module, function, seen);
  EXPECT_EQ(std::count(executed.begin(), executed.end(), false), 0);
}

}  // namespace
}  // namespace ropewalk::mutants
