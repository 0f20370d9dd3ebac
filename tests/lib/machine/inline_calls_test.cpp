// Calls: bodies put in their place do what the functions do on the host.
#include "lib/machine/decode/inline_calls.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/data/machine/kernels/nested_calls.h"
#include "tests/lib/machine/run_integers.h"

namespace ropewalk {
namespace {

TEST(InlineCalls, nested_calls_give_what_the_host_gives) {
  for (const i32 number : {0, 5, 13}) {
    const Launch launch = integer_launch("nested_calls.ptx", "nested_calls_kernel", number);
    const Outcome outcome = machine::make_machine()->run(launch, RunOptions{});
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
    const std::vector<i32> got = integers_of(launch, outcome);
    for (i32 thread = 0; thread < i32(got.size()); ++thread) {
      ASSERT_EQ(got[u64(thread)], nested_calls::nested(thread, number)) << thread << ", " << number;
    }
  }
}

TEST(InlineCalls, no_call_is_left_and_positions_tell_the_chain) {
  const Launch launch = integer_launch("nested_calls.ptx", "nested_calls_kernel", 5);
  const ptx::Module& module = *launch.module;
  const ptx::Function function = machine::inline_calls(module, *module.entry("nested_calls_kernel"));
  u32 deepest = 0;
  for (const ptx::Instruction& it : function.instructions) {
    EXPECT_NE(module.opcode(it).stem, "call") << "PTX line " << it.line;
    u32 depth = 0;
    for (u32 at = it.location; at; at = function.locations[at].inlined_at) ++depth;
    deepest = std::max(deepest, depth);
  }
  EXPECT_EQ(deepest, 4u);  // from_array in one_of_many in nested in the kernel
}

}  // namespace
}  // namespace ropewalk
