#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk {
namespace {

// A row mask that is missing, and a race in the same output, of instructions at these PTX lines.
HandMade race_beside_an_overrun(u64 overrun_line, u64 race_line) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("out", {2, 5, 2, 8});
  FindingLocation location;
  location.ptx_file = "k.ptx";
  location.ptx_line = overrun_line;
  made.touches(Rule::OutOfBoundsWrite, "out", range(160, 160 + 3 * 16)).location = location;
  location.ptx_line = race_line;
  made.touches(Rule::GlobalRace, "out", {80}).location = location;
  return made;
}

TEST(Consequences, the_instruction_that_overruns_races_for_the_same_reason) {
  HandMade made = race_beside_an_overrun(41, 41);
  EXPECT_EQ(made.cause_of(1), "missing-row-mask");
  EXPECT_NE(made.cause(1).evidence.at(0).find("PTX line 41"), std::string::npos);
}

TEST(Consequences, a_race_of_other_instructions_has_no_cause) {
  HandMade made = race_beside_an_overrun(41, 57);
  EXPECT_EQ(made.cause_of(0), "missing-row-mask");
  EXPECT_EQ(made.cause_of(1), "");
}

}  // namespace
}  // namespace ropewalk
