#include "reports/readable.h"

#include <gtest/gtest.h>

namespace ropewalk::reports {
namespace {

TEST(Readable, MangledNamesAreNamed) {
  EXPECT_EQ(readable("reads _ZZ13reverse_partsE4part + 508"), "reads reverse_parts::part + 508");
  EXPECT_EQ(readable("_Z22rotary_apply_unguardedIffLb0EEvPT_PKS0_PKT0_S6_RK15RotaryArguments"),
            "rotary_apply_unguarded<float, float, false>");
  EXPECT_EQ(readable("_Z1fi."), "f.");
}

TEST(Readable, OtherWordsStay) {
  for (const char* text : {"", "x", "_Z", "_Zebra", "a_Z1fi", "rotary(B=2)", "two  blanks "})
    EXPECT_EQ(readable(text), text);
}

}  // namespace
}  // namespace ropewalk::reports
