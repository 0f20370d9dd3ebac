// Entries by name, blocks of threads, comparison of modules.
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

TEST(Module, EntryByName) {
  const Module module = read_text(header +
                                  ".entry rotary() { ret; }\n.entry rotary_backward() { ret; }\n"
                                  ".entry _Z9attentionILi64EEv() { ret; }\n.func attention_helper() { ret; }\n");
  EXPECT_EQ(module.entry("rotary"), &module.functions[0]);
  EXPECT_EQ(module.entry("backward"), &module.functions[1]);
  EXPECT_EQ(module.entry("attention"), &module.functions[2]);
  EXPECT_EQ(module.entry("rot"), nullptr);  // two have it
  EXPECT_EQ(module.entry("attention_helper"), nullptr);
}

TEST(Module, BlockThreads) {
  const auto threads = [](const std::string& directives, bool* required) {
    return read_text(header + ".entry k() " + directives + " { ret; }").functions[0].block_threads(required);
  };
  bool required = true;
  EXPECT_EQ(threads("", &required), 0u);
  EXPECT_FALSE(required);
  EXPECT_EQ(threads(".maxntid 32, 4, 2", &required), 256u);
  EXPECT_FALSE(required);
  EXPECT_EQ(threads(".maxntid 1024 .reqntid 128", &required), 128u);
  EXPECT_TRUE(required);
  EXPECT_EQ(threads(".reqntid 8, 16, 1", nullptr), 128u);
}

TEST(Module, SameIgnoresTheLayoutOfTheText) {
  const Module a = read_entry("add.s32 %r1, %r2, 3; L: bra L;");
  const Module b = read_entry("\n\n add.s32\t%r1 , %r2 ,0x3 ;\nL:\n bra\nL;");
  EXPECT_TRUE(same(a, b));
}

TEST(Module, SameSeesEveryDifference) {
  const std::string body = ".loc 1 5 5\nadd.s32 %r1, %r2, 3; @%p1 ld.b32 %r1, [%rd1+4]; L: bra L;";
  const Module module = read_entry(body);
  EXPECT_TRUE(same(module, read_entry(body)));
  const std::pair<std::string, std::string> changes[] = {{"3;", "4;"},
                                                         {"%r2", "%r3"},
                                                         {"add", "sub"},
                                                         {"@%p1", "@!%p1"},
                                                         {"@%p1", "@%p2"},
                                                         {"@%p1", ""},
                                                         {"+4", "+8"},
                                                         {"L: bra", "bra"},
                                                         {"5 5", "5 6"},
                                                         {"[%rd1", "[%rd2"},
                                                         {"add", ".pragma \"x\"; add"},
                                                         {"bra L", "ret"}};
  for (const auto& [from, to] : changes) {
    std::string changed = body;
    changed.replace(changed.find(from), from.size(), to);
    if (from == "L: bra") changed += " L:";
    EXPECT_FALSE(same(module, read_entry(changed))) << changed;
  }
  for (const char* text : {".visible .entry k", ".entry j", ".entry k(.param .b32 p)", ".entry k() .maxntid 4"}) {
    const std::string plain = header + ".entry k()";
    const std::string other = header + text + (std::string(text).find('(') == std::string::npos ? "()" : "");
    EXPECT_FALSE(same(read_text(plain + " { ret; }"), read_text(other + " { ret; }"))) << text;
  }
  EXPECT_FALSE(same(read_text(header), read_text(header + ".global .b32 x;")));
  EXPECT_FALSE(same(read_text(header + ".global .b32 x = 1;"), read_text(header + ".global .b32 x = 2;")));
}

}  // namespace
}  // namespace ropewalk::ptx
