#include "lib/compat/version.h"

#include <gtest/gtest.h>

namespace ropewalk::compat {
namespace {

PackageVersion version(const char* text) { return parse_version(text).value(); }

TEST(PackageVersion, IsOrderedAsPythonOrdersIt) {
  const char* const ascending[] = {"2.0.dev3", "2.0a1", "2.0b1", "2.0b11", "2.0rc1",      "2.0",    "2.0.post1",
                                   "2.0.6",    "2.6.3", "2.7.0", "2.7.4",  "2.7.4.post1", "2.10.0", "4.0.0b11"};
  for (size_t a = 0; a < std::size(ascending); ++a) {
    for (size_t b = 0; b < std::size(ascending); ++b) {
      EXPECT_EQ(version(ascending[a]) <=> version(ascending[b]), a <=> b) << ascending[a] << " " << ascending[b];
    }
  }
}

TEST(PackageVersion, ZerosAtTheEndAndLocalPartsDoNotCount) {
  EXPECT_EQ(version("2.6"), version("2.6.0"));
  EXPECT_EQ(version("v2.6.0+cu12"), version("2.6"));
  EXPECT_NE(version("2.6.0"), version("2.6.0.post1"));
}

TEST(PackageVersion, OtherTextsAreNone) {
  for (const char* text : {"", "latest", "2.", "2.x", "-1", "2.6 3", "99999999999999999999"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

}  // namespace
}  // namespace ropewalk::compat
