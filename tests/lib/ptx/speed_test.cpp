// Seventeen megabytes, the PTX of an attention library's forward kernels, are read in under two seconds.
#include <ctime>

#include "tests/lib/ptx/large_text.h"
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

TEST(Speed, SeventeenMegabytesInTwoSeconds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer slows everything down";
#endif
  const std::string text = large_text(ROPEWALK_SOURCE_DIR "/tests/data/ptx/examples.ptx", 17'000'000);
  const std::clock_t start = std::clock();
  const Module module = read(text, "large.ptx");
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 2.0);
  EXPECT_GT(module.functions.size(), 5000u);
}

}  // namespace
}  // namespace ropewalk::ptx
