// The tables of forms: that all three ways to run a form agree, in every instruction set, and that nothing is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "lib/ptx/instruction_table.h"
#include "lib/ptx/module.h"
#include "tests/lib/machine/form_bench.h"

namespace ropewalk::machine {
namespace {

// Names in order, so that seeds belong to names.
std::vector<std::string> keys_of(const Table& table) {
  std::vector<std::string> keys;
  for (const auto& [key, form] : table) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

bool tells_time(const std::string& key) { return key.starts_with("%clock"); }

// Payloads of NaN differ where the compiler may swap the operands of a double's operation.
bool same(const std::string& key, u64 a, u64 b) {
  const auto is_nan = [](u64 bits) { return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; };
  const bool of_doubles = key.ends_with(".f64") && !key.starts_with("cvt") && !key.starts_with("selp");
  return a == b || (of_doubles && is_nan(a) && is_nan(b));
}

TEST(Forms, HaveHandlersAndSizes) {
  for (const std::string_view set : instruction_set_names()) {
    for (const auto& [key, form] : table_of(set)) {
      SCOPED_TRACE(std::string(set) + " " + key);
      EXPECT_TRUE(form.vector && form.uniform);
      for (const u32 size : {form.size_d, form.size_a}) EXPECT_TRUE(size == 1 || size == 2 || size == 4 || size == 8);
      for (const u32 size : {form.size_b, form.size_c, form.size_e}) {
        EXPECT_TRUE(size == 0 || size == 1 || size == 2 || size == 4 || size == 8);
      }
      // Operands are given from the first on.
      EXPECT_TRUE(form.size_b || !form.size_c);
      EXPECT_TRUE(form.size_c || !form.size_e);
    }
  }
}

TEST(Forms, AreTheSameInEveryInstructionSet) {
  const std::vector<std::string> keys = keys_of(compute_table());
  for (const std::string_view set : instruction_set_names()) {
    const Table table = table_of(set);
    EXPECT_EQ(keys_of(table), keys) << set;
    for (const std::string& key : keys) {
      const Form &a = table.at(key), &b = compute_table().at(key);
      EXPECT_TRUE(a.size_d == b.size_d && a.size_a == b.size_a && a.size_b == b.size_b && a.size_c == b.size_c &&
                  a.size_e == b.size_e)
          << key;
    }
  }
}

TEST(Forms, StandUnderTheirCanonicalOpcode) {
  for (const std::string& key : keys_of(compute_table())) {
    if (key[0] != '%') {
      EXPECT_EQ(canonical_opcode(key), key);
    }
  }
}

// Full mask, partial masks and the uniform handler give the same for a lane with the same operands; lanes that are not
// active keep what they had.
void check_ways(const std::string& key, const Form& form, Random random) {
  FormBench full(form);
  full.draw(random);
  FormBench masked = full, uniform = full;
  full.mark_destination();
  full.run_vector();

  u32 bits[FormBench::warps];
  for (u32 warp = 0; warp < FormBench::warps; ++warp) {
    bits[warp] = warp == 1 ? 0 : u32(random.bits());
    masked.set_mask(warp, bits[warp]);
  }
  masked.mark_destination();
  const u64 untouched = masked.result(0);
  masked.run_vector();
  for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
    const bool active = (bits[lane / 32] >> (lane % 32)) & 1u;
    ASSERT_TRUE(same(key, masked.result(lane), active ? full.result(lane) : untouched)) << key << ", lane " << lane;
  }

  for (const u32 lane : {0u, 45u, FormBench::lanes - 1}) {
    for (u32 n = 0; n < uniform.operand_count(); ++n) {
      for (u32 i = 0; i < lanes_per_warp; ++i) uniform.set_operand(n, i, full.operand(n, lane));
    }
    uniform.mark_destination();
    uniform.run_uniform();
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      ASSERT_TRUE(same(key, uniform.result(i), full.result(lane))) << key << ", operands of lane " << lane;
    }
    // Nothing is written behind the 32 lanes.
    ASSERT_EQ(uniform.result(lanes_per_warp), untouched) << key;
  }
}

TEST(Forms, GiveTheSameWholeMaskedAndUniform) {
  for (const std::string_view set : instruction_set_names()) {
    SCOPED_TRACE(set);
    const Table table = table_of(set);
    u64 seed = 0;
    for (const std::string& key : keys_of(table)) {
      if (tells_time(key)) continue;
      for (u32 round = 0; round < 4; ++round) check_ways(key, table.at(key), Random(++seed));
    }
  }
}

// An operand that is kept once, for all warps, is read once.
TEST(Forms, TakeSharedOperands) {
  u64 seed = 1000;
  for (const std::string& key : keys_of(compute_table())) {
    if (tells_time(key)) continue;
    const Form& form = compute_table().at(key);
    Random random(++seed);
    FormBench spread(form);
    spread.draw(random);
    FormBench shared = spread;
    const u32 n = u32(random.below(spread.operand_count()));
    shared.share(n);
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) spread.set_operand(n, lane, shared.operand(n, lane));
    spread.run_vector();
    shared.run_vector();
    for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
      ASSERT_TRUE(same(key, spread.result(lane), shared.result(lane))) << key << ", operand " << n;
    }
  }
}

TEST(Forms, GiveTheSameBitsInEveryInstructionSet) {
  const std::vector<std::string_view> sets = instruction_set_names();
  if (sets.size() == 1) GTEST_SKIP() << "this processor or build has one instruction set only";
  const Table& first = compute_table();
  for (const std::string_view set : sets) {
    const Table table = table_of(set);
    u64 seed = 2000;
    for (const std::string& key : keys_of(first)) {
      if (tells_time(key)) continue;
      for (u32 round = 0; round < 20; ++round) {
        Random random(++seed);
        FormBench a(first.at(key));
        a.draw(random);
        FormBench b(table.at(key));
        for (u32 n = 0; n < a.operand_count(); ++n) {
          for (u32 lane = 0; lane < FormBench::lanes; ++lane) b.set_operand(n, lane, a.operand(n, lane));
        }
        a.run_vector();
        b.run_vector();
        for (u32 lane = 0; lane < FormBench::lanes; ++lane) {
          if (same(key, a.result(lane), b.result(lane))) continue;
          FAIL() << key << std::hex << " of " << a.operand(0, lane) << ", " << a.operand(1, lane) << ", "
                 << a.operand(2, lane) << ": " << a.result(lane) << ", but " << b.result(lane) << " with " << set;
        }
      }
    }
  }
}

bool is_arithmetic(const std::string& opcode) { return ptx::Opcode(opcode).facts().group == ptx::Group::Arithmetic; }

// min and max of three operands have the opcode of two; what takes a carry is made of other forms.
TEST(Forms, AreThoseOfTheTableOfInstructions) {
  std::set<std::string_view> stems;
  for (const auto& [key, form] : compute_table()) {
    const std::string_view stem = std::string_view(key).substr(0, key.find('.'));
    if (key[0] != '%') stems.insert(stem == "min3" || stem == "max3" ? stem.substr(0, 3) : stem);
  }
  for (const ptx::InstructionRow& row : ptx::table::rows) {
    const bool has_forms = row.has_rule() && row.facts.group == ptx::Group::Arithmetic && !row.facts.takes_carry;
    EXPECT_EQ(stems.erase(row.stem), has_forms) << row.stem;
  }
  EXPECT_TRUE(stems.empty()) << *stems.begin();
}

TEST(Forms, CoverTheArithmeticOfTheWild) {
  std::ifstream file(std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/ptx/wild_opcodes.txt");
  ASSERT_TRUE(file);
  u32 arithmetic = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || !is_arithmetic(line)) continue;
    ++arithmetic;
    EXPECT_TRUE(compute_table().count(canonical_opcode(line))) << line;
  }
  EXPECT_EQ(arithmetic, 145u);
}

TEST(CanonicalOpcode, LeavesOutWhatChangesNothing) {
  EXPECT_EQ(canonical_opcode("add.rn.f32"), "add.f32");
  EXPECT_EQ(canonical_opcode("mul.rn.ftz.bf16x2"), "mul.ftz.bf16x2");
  EXPECT_EQ(canonical_opcode("fma.rn.ftz.f32"), "fma.ftz.f32");
  EXPECT_EQ(canonical_opcode("lg2.approx.f32.ftz"), "lg2.approx.ftz.f32");
  EXPECT_EQ(canonical_opcode("add.f32.sat.rn.ftz"), "add.ftz.sat.f32");
  EXPECT_EQ(canonical_opcode("mad.rz.f64"), "fma.rz.f64");
  EXPECT_EQ(canonical_opcode("cvt.rni.sat.s32.f32"), "cvt.rni.s32.f32");
  EXPECT_EQ(canonical_opcode("cvt.rn.ftz.f32.s32"), "cvt.rn.f32.s32");
}

TEST(CanonicalOpcode, KeepsWhatMatters) {
  for (const char* text :
       {"add.rz.f32", "mul.lo.s32", "mad.hi.sat.s32", "div.rn.f32", "cvt.rn.f16.f32", "cvt.sat.u8.s32",
        "cvt.ftz.f32.f16", "cvt.rn.sat.f16.f32", "shf.l.wrap.b32", "prmt.b32.f4e", "add.s32"}) {
    EXPECT_EQ(canonical_opcode(text), text);
  }
}

TEST(CanonicalOpcode, PutsModifiersInOrder) {
  EXPECT_EQ(canonical_opcode("cvt.rn.satfinite.relu.bf16x2.f32"), "cvt.rn.relu.satfinite.bf16x2.f32");
  EXPECT_EQ(canonical_opcode("min.NaN.ftz.f32"), "min.ftz.NaN.f32");
  EXPECT_EQ(canonical_opcode("fma.ftz.rz.sat.f32"), "fma.rz.ftz.sat.f32");
}

}  // namespace
}  // namespace ropewalk::machine
