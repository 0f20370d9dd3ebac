#include "lib/compat/specifiers.h"

#include <gtest/gtest.h>

namespace ropewalk::compat {
namespace {

// As packaging answers: one digit for each version.
TEST(Specifiers, AdmitWhatPackagingAdmits) {
  const char* const versions[] = {"2.6", "2.6.3", "2.6.3.post1", "2.7.0", "2.4.0", "2.10.1", "2.7.4.post1"};
  const std::pair<const char*, const char*> sets[] = {{">=2.0,<2.4", "0000000"},
                                                      {">2.6.3", "0001011"},
                                                      {"<2.7", "1110100"},
                                                      {">=2.6,!=2.6.3", "1011011"},
                                                      {"==2.6.*", "1110000"},
                                                      {"!=2.6.*", "0001111"},
                                                      {"~=2.6", "1111011"},
                                                      {"~=2.6.1", "0110000"},
                                                      {"==2.6.0", "1000000"},
                                                      {"<=2.6.3", "1100100"},
                                                      {">=2.6.3.post1", "0011011"},
                                                      {"== 2.7.4.post1", "0000001"},
                                                      {"", "1111111"}};
  for (const auto& [set, expected] : sets) {
    std::string found;
    for (const char* version : versions) {
      const auto inside = admits(set, *parse_version(version));
      found += !inside ? '?' : *inside ? '1' : '0';
    }
    EXPECT_EQ(found, expected) << set;
  }
}

TEST(Specifiers, PreviewsAreLeftOpenUnlessNamed) {
  const PackageVersion preview = *parse_version("4.0.0b11");
  EXPECT_EQ(admits(">=2.0", preview), std::nullopt);
  EXPECT_EQ(admits(">=4.0.0b1", preview), true);
  EXPECT_EQ(admits("<4", preview), false);
  EXPECT_EQ(admits("<4.0.0", preview), false);
}

TEST(Specifiers, OtherTextsAreNone) {
  for (const char* text : {"2.6", "===2.6.3", ">=2.6.*", "~=2", ">= new", "=>2.6"})
    EXPECT_EQ(admits(text, *parse_version("2.6.3")), std::nullopt) << text;
}

}  // namespace
}  // namespace ropewalk::compat
