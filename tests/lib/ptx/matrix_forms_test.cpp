// The table of forms of mma.sync: names, fragments, what does not fit, and that the manual has its rows.
#include "lib/ptx/matrix_forms.h"

#include <fstream>
#include <set>

#include "lib/ptx/grammar.h"
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

// The form of "mma" with these modifiers.
std::optional<MatrixForm> form_of(const std::string& modifiers) {
  return matrix_form(read_entry("mma" + modifiers + " {%f1}, {%r1}, {%r2}, {%f1};").opcodes.at(0));
}

TEST(MatrixForms, AreFoundByTheirOpcode) {
  std::set<std::string> opcodes;
  for (const MatrixForm& form : matrix_forms()) {
    const std::string opcode = opcode_of(form);
    EXPECT_EQ(form_of(opcode.substr(3)), form) << opcode;
    EXPECT_TRUE(opcodes.insert(opcode).second) << opcode;
  }
  EXPECT_GE(opcodes.size(), matrix_rows.size());
  EXPECT_EQ(form_of(".sync.aligned.row.col.m16n8k16.f32.bf16.bf16.f32"),
            form_of(".sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
}

TEST(MatrixForms, OthersAreNotKnown) {
  for (const char* modifiers :
       {".sync.m16n8k16.row.col.f32.f16.f16.f32", ".sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
        ".sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", ".sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
        ".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", ".sync.aligned.m16n8k16.row.col.f32.f16.f16",
        ".sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32", ".sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
        ".sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", ".sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        ".sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", ".sync.aligned.m16n8k16.row.col.rn.f32.f16.f16.f32",
        ".sync.aligned.m16n8k8.row.col.rz.f64.f64.f64.f64"}) {
    EXPECT_EQ(form_of(modifiers), std::nullopt) << modifiers;
  }
}

// What a row of a and a column of b are made of, the other way round.
TEST(MatrixForms, RowsAndColumnsAreThoseOfTheFragments) {
  using Element = std::array<u32, 3>;  // row or column, lane, register
  for (const MatrixForm& form : matrix_forms()) {
    std::set<Element> in_a, in_b, of_rows, of_columns;
    std::set<std::pair<u32, u32>> sums;
    const u32 per_a = facts_of(form.a).per_register(), per_b = facts_of(form.b).per_register(),
              per_sum = facts_of(form.sum).per_register();
    for (u32 lane = 0; lane < 32; ++lane) {
      for (u32 n = 0; n < form.registers_of_a(); ++n) {
        for (u32 i = 0; i < per_a; ++i) in_a.insert({index_in_a(form.shape().rows, per_a, lane, n, i).row, lane, n});
      }
      for (u32 n = 0; n < form.registers_of_b(); ++n) {
        for (u32 i = 0; i < per_b; ++i) in_b.insert({index_in_b(per_b, lane, n, i).column, lane, n});
      }
      for (u32 n = 0; n < form.registers_of_sum(); ++n) {
        for (u32 i = 0; i < per_sum; ++i) {
          const MatrixIndex at = index_in_sum(per_sum, lane, n, i);
          sums.insert({at.row, at.column});
        }
      }
    }
    for (u32 row = 0; row < form.shape().rows; ++row)
      for_row_of_a(form, row, [&](u32 lane, u32 n) { of_rows.insert({row, lane, n}); });
    for (u32 column = 0; column < 8; ++column)
      for_column_of_b(form, column, [&](u32 lane, u32 n) { of_columns.insert({column, lane, n}); });
    EXPECT_EQ(of_rows, in_a) << opcode_of(form);
    EXPECT_EQ(of_columns, in_b) << opcode_of(form);
    EXPECT_EQ(sums.size(), form.shape().rows * 8) << opcode_of(form);
  }
}

// The message of what an entry with this line is refused with; "" where it is not.
std::string refusal_of(const std::string& line) {
  const Module module = read_entry(line);
  try {
    check_instructions(module, module.functions.at(0));
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.substr(message.find(": ") + 2);
  }
  return "";
}

TEST(MatrixForms, OperandsThatDoNotFitAreRefused) {
  const std::string opcode = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", d = "{%f1, %f2, %f3, %f4}",
                    a = "{%r1, %r2}", b = "{%r3}";
  const auto refusal = [&](const std::string& operands) { return refusal_of(opcode + " " + operands + ";"); };
  EXPECT_EQ(refusal(d + ", " + a + ", " + b + ", " + d), "");
  EXPECT_EQ(refusal("{_, %f2, %r5, %f4}, " + a + ", " + b + ", {0f00000000, %f1, %f1, %f1}"), "");
  EXPECT_EQ(refusal(d + ", " + a + ", " + b), opcode + " has 3 operands, expected 4");
  EXPECT_EQ(refusal(d + ", " + a + ", %r3, " + d), "operand 3 of " + opcode + " is not a vector of 1 register");
  EXPECT_EQ(refusal(d + ", {%r1}, " + b + ", " + d), "operand 2 of " + opcode + " is not a vector of 2 registers");
  EXPECT_EQ(refusal(d + ", {%r1, 0}, " + b + ", " + d),
            "operand 2 of " + opcode + " is not a vector of registers for b32");
  EXPECT_EQ(refusal(d + ", {%r1, %rd1}, " + b + ", " + d),
            "operand 2 of " + opcode + " is not a vector of registers for b32");
  EXPECT_EQ(refusal("{%f1, %f2, %f3, 0f00000000}, " + a + ", " + b + ", " + d),
            "operand 1 of " + opcode + " is not a vector of registers for f32");
}

TEST(MatrixForms, AreTheRowsOfTheManual) {
  std::ifstream file(std::string(ROPEWALK_SOURCE_DIR) + "/docs/manual.md");
  std::vector<std::string> shown, expected;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| m")) shown.push_back(line);
  }
  const auto names = [](const std::array<MatrixElement, 2>& pair) {
    const std::string first(facts_of(pair[0]).name);
    return pair[0] == pair[1] ? first : first + " or " + std::string(facts_of(pair[1]).name);
  };
  for (const MatrixRow& row : matrix_rows) {
    expected.push_back("| m" + std::to_string(row.rows) + "n8k" + std::to_string(row.depth) + " | " +
                       names(row.factors) + " | " + names(row.sums) + " | sm_" + std::to_string(row.least_target) +
                       " |");
  }
  EXPECT_EQ(shown, expected);
}

}  // namespace
}  // namespace ropewalk::ptx
