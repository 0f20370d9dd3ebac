// Source positions: .loc, chains of inlining, names of inlined functions, .file.
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

const std::string debug = R"(
	.file	1 "kernels/rotary.cu"
	.file	3 "include/cuda_bf16.hpp", 1700000000, 1234
	.section	.debug_str
	{
$L__info_string0:
.b8 111,117,116,101,114,0
$L__info_string1:
.b8 105,110
.b8 110,101,114,0
	}
	.section	.debug_abbrev
	{
.b8 1
.b64 $L__tmp1
.b32 .debug_abbrev
	}
)";

const Location& location_of(const Function& function, u32 instruction) {
  return function.locations.at(function.instructions.at(instruction).location);
}

TEST(Locations, FilesComeAtTheEnd) {
  const Module module =
      read_text(entry_text("mov.b32 %r1, 0;\n.loc\t1 41 5\nmov.b32 %r1, 1;\n.loc 1 42\nret;") + debug);
  ASSERT_EQ(module.files.size(), 4u);
  EXPECT_EQ(module.files[1], "kernels/rotary.cu");
  EXPECT_EQ(module.files[2], "");
  EXPECT_EQ(module.files[3], "include/cuda_bf16.hpp");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.instructions[0].location, 0u);
  EXPECT_EQ(location_of(function, 1), (Location{1, 41, 5, 0, 0}));
  EXPECT_EQ(location_of(function, 2), (Location{1, 42, 0, 0, 0}));
}

TEST(Locations, LinesCountedInsideOfInlineAssemblyAreNone) {
  const Module module = read_text(entry_text(R"(
	.loc	1 85 16
	// begin inline asm
	.loc	1 85 16
	mov.u32 %r1, 0;
	.loc	1 86 16
	mov.u32 %r2, 0;
	@%p2 ld.global.v2.b32 { %r1, %r2 }, [ %rd7 + 0 ];

	// end inline asm
	add.s32 %r3, %r1, %r2;
	.loc	1 90 16
	mov.u32 %r3, 0;
	// begin inline asm
	{
	.reg .b32 %inner;
	.loc	1 92 16
	mov.u32 %r4, 0;
	}
	// end inline asm
	.loc	1 91 16
	mov.u32 %r5, 0;)") + debug);
  const Function& function = module.functions[0];
  const std::vector<u32> lines = {85, 85, 85, 85, 90, 90, 91};
  for (u32 i = 0; i < lines.size(); ++i) EXPECT_EQ(location_of(function, i).line, lines[i]) << i;
}

TEST(Locations, LineZeroIsNone) {
  const Module module = read_text(entry_text(R"(
	.loc	1 0 3
	mov.u32 %r1, 0;
	.loc	1 84 17
	mov.u32 %r2, 0;
	.loc	1 0 3
	mov.u32 %r3, 0;
	.loc	1 91 16
	mov.u32 %r4, 0;)") + debug);
  const Function& function = module.functions[0];
  EXPECT_EQ(function.instructions[0].location, 0u);
  const std::vector<u32> lines = {84, 84, 91};
  for (u32 i = 0; i < lines.size(); ++i) EXPECT_EQ(location_of(function, i + 1).line, lines[i]) << i;
}

TEST(Locations, ChainsOfInlining) {
  const Module module = read_text(entry_text(R"(
	.loc	1 28 3
	.loc	3 608 5, function_name $L__info_string0, inlined_at 1 28 3
	.loc	3 597 1, function_name $L__info_string1, inlined_at 3 608 5
	mov.b32 %r1, 1;
	.loc	1 30 3
	mov.b32 %r1, 1;
	.loc	3 608 5, function_name $L__info_string0, inlined_at 1 30 3
	.loc	3 597 1, function_name $L__info_string1, inlined_at 3 608 5
	mov.b32 %r1, 2;
	.loc	3 700 1, function_name $L__info_string1+2, inlined_at 1 99 9
	mov.b32 %r1, 3;)") + debug);
  const Function& function = module.functions[0];
  const Location& innermost = location_of(function, 0);
  EXPECT_EQ(innermost.line, 597u);
  EXPECT_EQ(module.inlined_functions[innermost.function], "inner");
  const Location& outer = function.locations[innermost.inlined_at];
  EXPECT_EQ(outer.line, 608u);
  EXPECT_EQ(module.inlined_functions[outer.function], "outer");
  EXPECT_EQ(function.locations[outer.inlined_at], (Location{1, 28, 3, 0, 0}));
  // The same location inlined at another one.
  const Location& second = function.locations[location_of(function, 2).inlined_at];
  EXPECT_EQ(second.line, 608u);
  EXPECT_EQ(function.locations[second.inlined_at].line, 30u);
  // A caller that no .loc has given.
  const Location& third = location_of(function, 3);
  EXPECT_EQ(module.inlined_functions[third.function], "ner");
  EXPECT_EQ(function.locations[third.inlined_at], (Location{1, 99, 9, 0, 0}));
  expect_round_trip(module);
}

TEST(Locations, OuterPositionsAreWrittenAgainWhereTheyChanged) {
  const Module module = read_text(entry_text(R"(
	.loc	1 10 1
	.loc	1 5 5, function_name $L__info_string0, inlined_at 1 10 1
	.loc	1 7 7, function_name $L__info_string1, inlined_at 1 5 5
	mov.b32 %r1, 1;
	.loc	1 20 1
	.loc	1 5 5, function_name $L__info_string0, inlined_at 1 20 1
	mov.b32 %r1, 2;
	.loc	1 10 1
	.loc	1 5 5, function_name $L__info_string0, inlined_at 1 10 1
	.loc	1 7 7, function_name $L__info_string1, inlined_at 1 5 5
	mov.b32 %r1, 3;)") + debug);
  const Function& function = module.functions[0];
  EXPECT_EQ(function.instructions[0].location, function.instructions[2].location);
  EXPECT_EQ(location_of(function, 2).line, 7u);
  expect_round_trip(module);
}

TEST(Locations, EqualOnesAreKeptOnce) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += ".loc 1 5 5\nmov.b32 %r1, 1;\n.loc 1 6 5\nmov.b32 %r1, 2;\n";
  EXPECT_EQ(read_entry(body).functions[0].locations.size(), 3u);
}

TEST(Locations, ACircleOfInliningEnds) {
  std::string body;
  for (int i = 0; i < 1000; ++i) {
    body +=
        ".loc 1 5 5, function_name $L__info_string0, inlined_at 1 6 6\nmov.b32 %r1, 1;\n"
        ".loc 1 6 6, function_name $L__info_string1, inlined_at 1 5 5\nmov.b32 %r1, 1;\n";
  }
  const Module module = read_text(entry_text(body) + debug);
  const Function& function = module.functions[0];
  for (u32 i = 0; i < function.locations.size(); ++i) {
    u32 depth = 0;
    for (u32 at = i; at != 0; at = function.locations[at].inlined_at) ASSERT_LT(++depth, 200u);
  }
}

TEST(Locations, FilesThatNobodyNamed) {
  const Module module = read_entry(".loc 7 1 1\nret;");
  EXPECT_EQ(module.files.size(), 8u);
  EXPECT_EQ(module.files[7], "");
}

}  // namespace
}  // namespace ropewalk::ptx
