#include "lib/ptx/link.h"

#include <algorithm>

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

Module linked(const std::vector<std::string>& texts) {
  std::vector<Module> modules;
  for (const std::string& text : texts) modules.push_back(read(header + text, "part" + std::to_string(modules.size())));
  const Module all = link(modules);
  EXPECT_TRUE(same(all, read_text(write(all))));
  return all;
}
std::string error_of(const std::vector<std::string>& texts) {
  try {
    linked(texts);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}
const Function& function(const Module& module, const std::string& name) {
  return *std::ranges::find(module.functions, name, &Function::name);
}
const Variable& variable(const Module& module, const std::string& name) {
  return *std::ranges::find(module.variables, name, &Variable::name);
}

const std::string calls = R"(
.extern .func (.param .b32 r) helper(.param .b32 x);
.extern .global .align 4 .u32 shift;
.extern .shared .align 16 .b8 buffer[];
.global .align 4 .u32 hits = 1;
.file 1 "a.cu"
.visible .entry first(.param .u64 p) {
  .reg .b32 %r<4>; .local .align 4 .b8 depot[4];
  .loc 1 7 3
  ld.global.u32 %r0, [shift];
  st.shared.u32 [buffer], %r0;
  st.local.u32 [depot], %r0;
  st.global.u32 [hits], %r0;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call.uni (b), helper, (a); ld.param.b32 %r1, [b]; }
  ret;
})";
const std::string defines = R"(
.visible .global .align 4 .u32 shift = 5;
.extern .shared .align 8 .b8 buffer[];
.global .align 4 .u32 hits = 2;
.visible .global .align 8 .u64 where[1] = {hits};
.file 1 "b.cu"
.func (.param .b32 r) own(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r0, [x]; st.param.b32 [r], %r0; ret; }
.visible .func (.param .b32 r) helper(.param .b32 x) {
  .reg .b32 %r<3>; .reg .b64 %a<2>;
  .loc 1 9 1
  ld.global.u32 %r1, [hits];
  mov.u64 %a1, own;
  st.param.b32 [r], %r1;
  ret;
})";

TEST(Link, FindsWhatAnotherModuleDefines) {
  for (const bool is_first : {false, true}) {
    const Module all = is_first ? linked({defines, calls}) : linked({calls, defines});
    EXPECT_TRUE(function(all, "helper").has_body);
    EXPECT_EQ(variable(all, "shift").initial.front(), 5);
    EXPECT_EQ(variable(all, "buffer").alignment, 16u);
    const std::string theirs = is_first ? "hits" : "hits$linked2", ours = is_first ? "hits$linked2" : "hits";
    EXPECT_EQ(variable(all, theirs).initial.front(), 2);
    EXPECT_EQ(variable(all, "where").relocations.front().symbol, theirs);
    const Lines of_first = lines_of(all, function(all, "first")), of_helper = lines_of(all, function(all, "helper"));
    EXPECT_EQ(of_first[0], "ld.global.u32 %r0, [shift]");
    EXPECT_EQ(of_first[2], "st.local.u32 [depot], %r0");
    EXPECT_EQ(of_first[3], "st.global.u32 [" + ours + "], %r0");
    EXPECT_EQ(of_helper[0], "ld.global.u32 %r1, [" + theirs + "]");
    EXPECT_EQ(of_helper[1], "mov.u64 %a1, own");
    const Function& helper = function(all, "helper");
    EXPECT_EQ(all.files[helper.locations[helper.instructions[0].location].file], "b.cu");
  }
}

TEST(Link, TakesOneOfWeakDefinitions) {
  const std::string weak = ".weak .func same() { ret; }\n.weak .shared .align 4 .u32 count;\n";
  const std::string strong = ".visible .func same() { .reg .b32 %r<2>; mov.u32 %r1, 3; ret; }\n";
  for (const auto& texts : {std::vector{weak, weak, strong}, std::vector{strong, weak, weak}}) {
    const Module all = linked(texts);
    EXPECT_EQ(function(all, "same").instructions.size(), 2u);
    EXPECT_EQ(std::ranges::count(all.variables, "count", &Variable::name), 1);
  }
}

TEST(Link, RefusesWhatDoesNotFit) {
  EXPECT_NE(error_of({defines, ".visible .global .align 4 .u32 shift = 1;\n"}).find("\"shift\" is defined twice"),
            std::string::npos);
  EXPECT_NE(error_of({".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n"}).find("\"f\" is defined twice"),
            std::string::npos);
  EXPECT_NE(error_of({calls, ".visible .func helper() { ret; }\n"}).find("has other parameters"), std::string::npos);
  EXPECT_NE(error_of({calls, ".visible .const .align 4 .u32 shift;\n"}).find("another size or state space"),
            std::string::npos);
}

}  // namespace
}  // namespace ropewalk::ptx
