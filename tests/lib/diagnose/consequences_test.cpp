#include "tests/lib/diagnose/hand_made.h"

namespace ropewalk::diagnose {
namespace {

// A row mask that is missing, and a race in the same output at `element`, of instructions at these source lines.
HandMade race_beside_an_overrun(u64 overrun_line, u64 race_line, i64 element) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.tensor("out", {2, 5, 2, 8});
  FindingLocation location;
  location.file = "k.cu";
  location.line = overrun_line;
  made.touches(Rule::OutOfBoundsWrite, "out", range(160, 160 + 3 * 16)).location = location;
  location.line = race_line;
  made.touches(Rule::GlobalRace, "out", {element}).location = location;
  return made;
}

TEST(Consequences, the_line_that_overruns_races_for_the_same_reason) {
  HandMade made = race_beside_an_overrun(41, 41, 0);
  EXPECT_EQ(made.cause_of(1), "missing-row-mask");
  EXPECT_NE(made.cause(1).evidence.at(0).find("k.cu:41"), std::string::npos);
}

TEST(Consequences, a_race_as_close_behind_a_row_as_the_overrun_reaches_has_its_reason) {
  HandMade made = race_beside_an_overrun(41, 57, 80 + 47);
  EXPECT_EQ(made.cause_of(1), "missing-row-mask");
  EXPECT_NE(made.cause(1).evidence.at(0).find("47 past the end of a row of 80"), std::string::npos);
}

TEST(Consequences, a_race_elsewhere_has_no_cause) {
  for (const i64 element : {0, 47, 80 + 48}) {
    HandMade made = race_beside_an_overrun(41, 57, element);
    EXPECT_EQ(made.cause_of(0), "missing-row-mask");
    EXPECT_EQ(made.cause_of(1), "") << element;
  }
}

}  // namespace
}  // namespace ropewalk::diagnose
