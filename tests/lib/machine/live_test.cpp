// Where registers are alive, on code in which that is plain to see.
#include "lib/machine/decode/live.h"

#include <gtest/gtest.h>

#include "lib/machine/decode/code.h"
#include "lib/ptx/read_module.h"

namespace ropewalk::machine {
namespace {

class Lives {
 public:
  explicit Lives(const std::string& body) {
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry tried(.param .u64 out)\n{\n"
        "  .reg .pred %p<5>;\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<5>;\n" +
        body + "}\n";
    module_ = std::make_shared<ptx::Module>(ptx::read_module(text, "tried.ptx"));
    code_ = make_code(module_, *module_->entry("tried"), false);
  }
  LiveRange of(const std::string& name) const {
    for (u32 i = 0; i < code_->values.size(); ++i) {
      const Value& value = code_->values[i];
      if (value.source == Value::Source::Register && code_->function.registers[value.register_id].name == name) {
        return code_->live[i];
      }
    }
    ADD_FAILURE() << "no register " << name;
    return {};
  }
  bool meet(const std::string& a, const std::string& b) const {
    const LiveRange first = of(a), second = of(b);
    return first.first <= second.last && second.first <= first.last;
  }

 private:
  std::shared_ptr<ptx::Module> module_;
  std::shared_ptr<const Code> code_;
};

TEST(Live, values_of_a_straight_line_end_at_their_last_use) {
  const Lives lives(
      "  mov.u32 %r1, %tid.x;\n  add.s32 %r2, %r1, 1;\n  add.s32 %r3, %r2, 1;\n  ld.param.u64 %rd1, [out];\n"
      "  st.global.u32 [%rd1], %r3;\n  ret;\n");
  EXPECT_FALSE(lives.meet("%r1", "%r2"));  // %r2 may be computed in the place of %r1
  EXPECT_FALSE(lives.meet("%r1", "%r3"));
  EXPECT_TRUE(lives.meet("%r3", "%rd1"));
}

TEST(Live, what_a_loop_carries_lives_through_all_of_it) {
  const Lives lives(
      "  mov.u32 %r1, 0;\n  mov.u32 %r2, %tid.x;\n$again:\n  add.s32 %r3, %r2, 7;\n  add.s32 %r1, %r1, %r3;\n"
      "  mul.lo.s32 %r4, %r1, 3;\n  setp.lt.s32 %p1, %r4, 100;\n  @%p1 bra $again;\n"
      "  ld.param.u64 %rd1, [out];\n  st.global.u32 [%rd1], %r1;\n  ret;\n");
  EXPECT_TRUE(lives.meet("%r1", "%r4"));
  EXPECT_TRUE(lives.meet("%r2", "%r4"));  // read again in the next round
  EXPECT_FALSE(lives.meet("%r3", "%r4"));
}

TEST(Live, a_value_written_under_a_predicate_keeps_what_it_was) {
  const Lives lives(
      "  mov.u32 %r1, %tid.x;\n  add.s32 %r2, %r1, 1;\n  setp.gt.s32 %p1, %r2, 5;\n  mov.u32 %r3, 9;\n"
      "  @%p1 mov.u32 %r1, 4;\n  ld.param.u64 %rd1, [out];\n  st.global.u32 [%rd1], %r1;\n  ret;\n");
  EXPECT_TRUE(lives.meet("%r1", "%r3"));
}

TEST(Live, an_address_is_read_until_its_load_has_written) {
  const Lives lives(
      "  ld.param.u64 %rd1, [out];\n  ld.global.u64 %rd2, [%rd1];\n  st.global.u64 [%rd2], %rd2;\n  ret;\n");
  EXPECT_TRUE(lives.meet("%rd1", "%rd2"));
}

}  // namespace
}  // namespace ropewalk::machine
