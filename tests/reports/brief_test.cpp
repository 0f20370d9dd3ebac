#include "reports/brief.h"

#include <gtest/gtest.h>

namespace ropewalk::reports {
namespace {

const std::string long_type = "thrust::THRUST_300001_SM_800_NS::detail::normal_iterator<" + std::string(90, 'x') + ">";

TEST(Brief, LeavesOutLongArgumentsAndVersions) {
  EXPECT_EQ(brief("cub::CUB_300001_SM_800::DeviceSelectSweepKernel<" + long_type + ", int>"),
            "cub::DeviceSelectSweepKernel<...>");
  EXPECT_EQ(brief(long_type), "thrust::detail::normal_iterator<...>");
  EXPECT_EQ(brief("f(" + long_type + ") const (" + std::string(90, '/') + ".h:3)"),
            "f(...) const (" + std::string(90, '/') + ".h:3)");
}

TEST(Brief, KeepsWhatIsShortOrNoArgument) {
  for (const char* text : {"rotary_apply<Unguarded, float, float, false>", "a < b, launched at main (a.cu:3)",
                           "x[i] is no element; i<n is not checked", "operator<(int, int)"})
    EXPECT_EQ(brief(text), text);
}

TEST(Brief, StacksKeepTheProgramsOwnLines) {
  const std::vector<std::string> evidence = {"launch 1 of the kernel",
                                             "launched at thrust::fill (/usr/include/thrust/fill.h:9)",
                                             "  called by thrust::sort (/usr/include/thrust/sort.h:3)",
                                             "  called by main (sort.cu:5)", "  called by lib.so+0x12"};
  EXPECT_EQ(brief_stacks(evidence), (std::vector<std::string>{evidence[0], evidence[1], evidence[3]}));
  EXPECT_EQ(own_line(evidence), "main (sort.cu:5)");
  EXPECT_EQ(brief_stacks({evidence[1], evidence[2]}), (std::vector<std::string>{evidence[1], evidence[2]}));
  EXPECT_EQ(own_line({evidence[1]}), std::nullopt);
}

}  // namespace
}  // namespace ropewalk::reports
