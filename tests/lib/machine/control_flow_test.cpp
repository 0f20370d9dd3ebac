// Divergence and reconvergence: kernels whose lanes part ways, compared with the same functions on the host.
#include "tests/data/machine/kernels/control_flow.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/lib/machine/run_integers.h"

namespace ropewalk {
namespace {

using Function = int (*)(int thread, int number);

const std::map<std::string, Function> functions = {
    {"nested_conditions", control_flow::nested_conditions},
    {"different_trips", control_flow::different_trips},
    {"break_and_continue", control_flow::break_and_continue},
    {"early_return", control_flow::early_return},
    {"many_cases", control_flow::many_cases},
    {"jumps", control_flow::jumps},
    {"short_conditions", control_flow::short_conditions},
};

class ControlFlow : public testing::TestWithParam<std::string> {};

TEST_P(ControlFlow, gives_what_the_host_gives) {
  const Function function = functions.at(GetParam());
  const auto machine = machine::make_machine();
  for (const bool careful_only : {false, true}) {
    for (const u32 threads : {96u, 33u, 256u}) {
      for (const i32 number : {0, 1, 5, 13, 47, 1000}) {
        const Launch launch = integer_launch("control_flow.ptx", GetParam(), number, 2, threads);
        RunOptions options;
        options.careful_only = careful_only;
        const Outcome outcome = machine->run(launch, options);
        ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
        const std::vector<i32> got = integers_of(launch, outcome);
        for (std::size_t n = 0; n < got.size(); ++n) {
          ASSERT_EQ(got[n], function(int(n), number)) << "thread " << n << ", number " << number;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machine, ControlFlow,
                         testing::Values("nested_conditions", "different_trips", "break_and_continue", "early_return",
                                         "many_cases", "jumps", "short_conditions"),
                         [](const auto& info) { return info.param; });

TEST(ControlFlow, branches_by_a_table) {
  for (const bool careful_only : {false, true}) {
    const Launch launch = integer_launch("table.ptx", "branch_by_table", 3);
    RunOptions options;
    options.careful_only = careful_only;
    const Outcome outcome = machine::make_machine()->run(launch, options);
    ASSERT_EQ(outcome.kind, OutcomeKind::Agreed) << outcome.reason;
    const std::vector<i32> got = integers_of(launch, outcome);
    for (std::size_t n = 0; n < got.size(); ++n) EXPECT_EQ(got[n], i32(10 * (n % 4 + 1) + 3)) << n;
  }
}

}  // namespace
}  // namespace ropewalk
