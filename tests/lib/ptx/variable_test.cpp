// Declarations of variables in every space, and their initialisers.
#include <cstring>

#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

Variable one_variable(const std::string& declaration) {
  const Module module = read_text(header + declaration + "\n");
  EXPECT_EQ(module.variables.size(), 1u);
  return module.variables.at(0);
}

using Bytes = std::vector<u8>;

TEST(Variables, KindsAndLinkage) {
  const Variable shared = one_variable(".extern .shared .align 16 .b8 X[];");
  EXPECT_EQ(shared.space, Space::Shared);
  EXPECT_TRUE(shared.is_extern);
  EXPECT_EQ(shared.alignment, 16u);
  EXPECT_EQ(shared.extents, std::vector<u64>{0});
  EXPECT_EQ(shared.bytes(), 0u);
  const Variable scalar = one_variable(".visible .global .v4 .f32 v;");
  EXPECT_EQ(scalar.linkage, "visible");
  EXPECT_EQ(scalar.bytes(), 16u);
  const Variable table = one_variable(".const[2] .align 8 .b64 t[3][4];");
  EXPECT_EQ(table.space, Space::Const);
  EXPECT_EQ(table.bytes(), 96u);
  EXPECT_EQ(one_variable(".weak .global .attribute(.managed) .align 4 .u32 w;").linkage, "weak");
}

TEST(Variables, LocalsOfABody) {
  const Module module = read_text(header + R"(.entry k(.param .align 8 .b8 p[472]) {
    .local .align 16 .b8 __local_depot15[32]; .shared .align 4 .f32 tile[32][33], one; .reg .b64 %SP;
    { .shared .b32 one; mov.u64 %SP, one; } })");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.variables.size(), 5u);
  EXPECT_EQ(function.variables[1].space, Space::Local);
  EXPECT_EQ(function.variables[2].bytes(), 32u * 33 * 4);
  EXPECT_EQ(function.variables[4].name, "one$2");
  expect_round_trip(module);
}

// There is one of each, as of those of the module; what is left of a body's own is numbered behind them.
TEST(Variables, GlobalAndConstantOnesOfABodyAreTheModuleS) {
  const Module module = read_text(header + R"(.global .b32 x;
.entry k() { .reg .b64 %rd<5>; .shared .b32 s;
{ .global .u32 x[2] = {7, 8}; mov.u64 %rd1, x; }
{ .const .u32 c = 9; .shared .b32 t; mov.u64 %rd2, c; mov.u64 %rd3, s; mov.u64 %rd4, t; } }
.entry l() { .reg .b64 %rd<2>; { .global .u32 x = 1; mov.u64 %rd1, x; } })");
  ASSERT_EQ(module.variables.size(), 4u);
  EXPECT_EQ(module.variables[1].initial, (Bytes{7, 0, 0, 0, 8, 0, 0, 0}));
  EXPECT_EQ(lines_of(module), (Lines{"mov.u64 %rd1, x$2", "mov.u64 %rd2, c", "mov.u64 %rd3, s", "mov.u64 %rd4, t"}));
  EXPECT_EQ(module.functions[0].variables.size(), 2u);
  EXPECT_EQ(module.variables[3].name, "x$2$2");
  EXPECT_TRUE(module.functions[1].variables.empty());
  expect_round_trip(module);
}

TEST(Variables, LocalNamesDoNotHideThoseOfTheModule) {
  const Module module = read_text(header +
                                  ".global .b32 x;\n.entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, x;\n"
                                  "{ .shared .b32 x; mov.u64 %rd2, x; } mov.u64 %rd1, x; }");
  EXPECT_EQ(lines_of(module), (Lines{"mov.u64 %rd1, x", "mov.u64 %rd2, x$2", "mov.u64 %rd1, x"}));
  expect_round_trip(module);
}

TEST(Variables, IntegerInitialisers) {
  EXPECT_EQ(one_variable(".global .u16 a[3] = {1, 0x203, -1};").initial, (Bytes{1, 0, 3, 2, 255, 255}));
  EXPECT_EQ(one_variable(".global .b32 a = 5;").initial, (Bytes{5, 0, 0, 0}));
  EXPECT_TRUE(one_variable(".global .b8 X[1];").initial.empty());
  const Variable open = one_variable(".global .b8 a[] = {1, 2, 3};");
  EXPECT_EQ(open.extents, std::vector<u64>{3});
}

TEST(Variables, NestedInitialisers) {
  EXPECT_EQ(one_variable(".global .b8 a[2][3] = {{1}, {2, 3}};").initial, (Bytes{1, 0, 0, 2, 3}));
  EXPECT_EQ(one_variable(".global .b8 a[2][2] = {1, 2, 3};").initial, (Bytes{1, 2, 3}));
  EXPECT_EQ(one_variable(".global .v2 .b8 a[2] = {{1, 2}, {3, 4}};").initial, (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(one_variable(".global .b8 a[][2] = {{1, 2}, {3, 4}, {5}};").extents, (std::vector<u64>{3, 2}));
}

TEST(Variables, LongRowsAreWrittenAsShortAsTheyWereGiven) {
  const Module module = read_text(header +
                                  ".global .u32 a;\n.global .b8 r[3][1000000] = {{1, 2}, {}, {3}};\n"
                                  ".global .u64 p[2][1000] = {{1, a}, {a}};\n");
  EXPECT_EQ(module.variables[1].initial.size(), 2000001u);
  EXPECT_LT(expect_round_trip(module).size(), 300u);
}

TEST(Variables, FloatInitialisers) {
  const Variable floats = one_variable(".const .f32 a[3] = {0f3F800000, 2.5, 0d4008000000000000};");
  float values[3];
  ASSERT_EQ(floats.initial.size(), sizeof values);
  std::memcpy(values, floats.initial.data(), sizeof values);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], 2.5f);
  EXPECT_EQ(values[2], 3.0f);
  const Variable doubles = one_variable(".const .f64 a[2] = {0d3FF8000000000000, -0.5};");
  double wide[2];
  ASSERT_EQ(doubles.initial.size(), sizeof wide);
  std::memcpy(wide, doubles.initial.data(), sizeof wide);
  EXPECT_EQ(wide[0], 1.5);
  EXPECT_EQ(wide[1], -0.5);
}

TEST(Variables, Addresses) {
  const Module module =
      read_text(header +
                ".func f();\n.global .u32 a;\n.global .u64 t[4] = {f, generic(a), a+8, generic(a+4)};\n"
                ".global .b8 m[10] = {7, 0, 0xFF(generic(a)), 0xFF00(generic(a)), 0xFF0000(generic(a)), "
                "0xFF000000(generic(a)), 0xFF00000000(generic(a)), 0xFF0000000000(generic(a)), "
                "0xFF000000000000(generic(a)), 0xFF00000000000000(generic(a))};\n");
  const Variable& table = module.variables[1];
  ASSERT_EQ(table.relocations.size(), 4u);
  EXPECT_EQ(table.relocations[0], (Variable::Relocation{0, "f", 0, false}));
  EXPECT_EQ(table.relocations[1], (Variable::Relocation{8, "a", 0, true}));
  EXPECT_EQ(table.relocations[2], (Variable::Relocation{16, "a", 8, false}));
  EXPECT_EQ(table.relocations[3], (Variable::Relocation{24, "a", 4, true}));
  const Variable& bytes = module.variables[2];
  ASSERT_EQ(bytes.relocations.size(), 1u);
  EXPECT_EQ(bytes.relocations[0], (Variable::Relocation{2, "a", 0, true}));
  expect_round_trip(module);
}

TEST(Variables, ExternAndDefinitionAreOne) {
  const Module module = read_text(header +
                                  ".extern .global .b32 a;\n.visible .global .b32 a = 3;\n.extern .global .b32 a;\n"
                                  ".extern .shared .align 16 .b8 s[];\n.extern .shared .align 16 .b8 s[];\n");
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.variables[0].linkage, "visible");
  EXPECT_EQ(module.variables[0].initial.size(), 4u);
}

TEST(Variables, EveryTypeKeepsItsName) {
  for (u32 i = u32(Type::B8); i <= u32(Type::S16x2); ++i) {
    const Type type = Type(i);
    EXPECT_EQ(type_named(name_of(type)), type);
    EXPECT_GT(size_of(type), 0u);
    EXPECT_EQ(one_variable(".global ." + std::string(name_of(type)) + " x;").type, type);
  }
  EXPECT_EQ(type_named("b33"), Type::None);
  EXPECT_EQ(size_of(Type::F16x2), 4u);
  EXPECT_EQ(size_of(Type::B128), 16u);
}

}  // namespace
}  // namespace ropewalk::ptx
