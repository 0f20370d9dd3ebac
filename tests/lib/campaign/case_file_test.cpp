#include "lib/campaign/case_file.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/base/error.h"

namespace ropewalk::campaign {
namespace {

std::string error_of(const std::string& text) {
  try {
    read_case(text, "case.json", kernels::shipped_kernels());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& kernel, const std::string& problem) {
  return R"({"schema": "ropewalk.case/1", "kernel": ")" + kernel + R"(", "problem": ")" + problem + "\"}";
}

TEST(CaseFile, reads_back_as_the_same_case) {
  const SavedCase kept{"rotary/apply", "rotary(B=1,T=2,H=1,D=64)", 8};
  EXPECT_EQ(read_case(case_text(kept, Finding{}), "case.json", kernels::shipped_kernels()), kept);
}

TEST(CaseFile, names_the_field_that_does_not_fit) {
  EXPECT_EQ(error_of(with("rotary/apply", "rotary(T=2)")), "");
  EXPECT_EQ(error_of(with("rotary/aply", "rotary(T=2)")).find("case.json: kernel: "), 0u);
  EXPECT_EQ(error_of(with("rotary/apply", "rotary(T=)")).find("case.json: problem: "), 0u);
  EXPECT_EQ(error_of(with("rotary/apply", "attention(Tq=4)")),
            "case.json: problem: rotary/apply answers rotary problems, not attention ones");
  EXPECT_EQ(error_of("{}").find("case.json: "), 0u);
}

}  // namespace
}  // namespace ropewalk::campaign
