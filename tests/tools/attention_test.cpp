// attn-fuzz from outside: what it says and how it ends.
#include <gtest/gtest.h>

#include "reports/json.h"
#include "tests/tools/program.h"
#include "tools/parse/parse.h"

namespace ropewalk::tools {
namespace {

using testing::attn_fuzz;
using testing::ProgramResult;

TEST(AttnFuzz, RunsOneCase) {
  const ProgramResult got =
      attn_fuzz("case 'attention(B=2,Tq=20,Tk=40,H=4,D=48,key_heads=2,dtype=bf16,causal=bottom-right,softcap=30)'");
  EXPECT_EQ(got.exit_code, 0) << got.output << got.errors;
  EXPECT_EQ(got.output.find("clean    1 case checked, nothing found"), 0u) << got.output;
}

TEST(AttnFuzz, RefusesWhatHasNoAnswer) {
  const ProgramResult got = attn_fuzz("case 'attention(Tq=4,Tk=4,H=6,D=16,key_heads=4)'");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_EQ(got.output, "");
  EXPECT_EQ(got.errors,
            "attn-fuzz: error: attention(B=1,Tq=4,Tk=4,H=6,D=16,key_heads=4): rejected by the preconditions of "
            "attention/forward: 6 heads of q cannot share 4 heads of k and v evenly: 6 is no multiple of 4\n");
  EXPECT_EQ(attn_fuzz("case").errors,
            "attn-fuzz: error: case: a problem is missing; usage: attn-fuzz case "
            "'attention(Tq=16,Tk=40,H=2,D=64)'\n");
  const ProgramResult other = attn_fuzz("case 'rotary(T=4)'");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(
      other.errors,
      "attn-fuzz: error: case: attn-fuzz has no kernels for problems of the kind rotary; its kinds are attention, "
      "cache-store\n");
  EXPECT_EQ(attn_fuzz("kernel").errors.find("attn-fuzz: error: unknown command \"kernel\""), 0u);
}

TEST(AttnFuzz, ListsAttentionKernelsAlone) {
  const ProgramResult got = attn_fuzz("list");
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_NE(got.output.find("attention/forward"), std::string::npos);
  EXPECT_EQ(got.output.find("rotary/"), std::string::npos);
  EXPECT_EQ(testing::rope_check("list").output.find("attention/"), std::string::npos);
}

TEST(AttnFuzz, ACampaignOverHealthyKernelsIsSilentAndTheSameForAnyJobs) {
  const std::string path = testing::scratch("campaign.json");
  const ProgramResult one = attn_fuzz("fuzz --budget 150 --seed 3 --jobs 1 --quiet --report '" + path + "'");
  EXPECT_EQ(one.exit_code, 0) << one.output << one.errors;
  const ProgramResult two = attn_fuzz("fuzz --budget 150 --seed 3 --jobs 2 --quiet");
  EXPECT_EQ(two.exit_code, 0) << two.output << two.errors;
}

TEST(AttnFuzz, FindsEveryKnownBugAsTheAtlasSays) {
  const ProgramResult got = attn_fuzz("atlas");
  EXPECT_EQ(got.exit_code, 0) << got.output << got.errors;
  EXPECT_NE(got.output.find("ALiBi with the other sign"), std::string::npos);
  EXPECT_EQ(got.output.find("rotary"), std::string::npos);
  const ProgramResult other = attn_fuzz("atlas --seed 2");
  EXPECT_EQ(other.exit_code, 0) << other.output;
  EXPECT_EQ(attn_fuzz("atlas 1").exit_code, 2);  // a row of rotary kernels
}

// The gradients of these scores are about 2^20 and more, which f16 rightly turns into infinity.
TEST(AttnFuzz, GradientsThatF16DoesNotHoldAreNoFinding) {
  for (const char* kernel : {"attention/backward", "attention/ring-backward"}) {
    const ProgramResult got =
        attn_fuzz(std::string("case 'attention(Tq=41,Tk=41,D=1,dtype=f16,input=low)' --kernel ") + kernel);
    EXPECT_EQ(got.exit_code, 0) << got.output << got.errors;
  }
}

// softcap 10 to 50 with a backward that forgets it: found, named, minimal.
TEST(AttnFuzz, NamesABackwardThatForgotSoftcap) {
  for (const char* family : {"faulty/attention-gradient-softcap", "faulty/attention-gradient-softcap-dq"}) {
    const std::string path = testing::scratch("softcap.json");
    const ProgramResult got = attn_fuzz(std::string("run ") + family + " --budget 120 --quiet --report '" + path + "'");
    EXPECT_EQ(got.exit_code, 1) << got.output << got.errors;
    bool named = false;
    for (const Finding& finding : testing::report_at(path).findings) {
      if (!finding.access || finding.access->tensor != "dq") continue;
      named = true;
      EXPECT_TRUE(finding.cause && finding.cause->id == "softcap-missing-in-backward") << finding.message;
      EXPECT_EQ(finding.minimal_case.find("attention(B=1,Tq=1,Tk=2,H=1,D=1,softcap="), 0u) << finding.minimal_case;
    }
    EXPECT_TRUE(named) << family;
  }
}

TEST(AttnFuzz, ParsesACase) {
  const Request request = parse_command_line({"case", "attention(D=8)", "--blocks", "3"}, attn_fuzz_program);
  const auto& options = std::get<KernelOptions>(request.command);
  EXPECT_EQ(options.name, "") << "the first kernel of the problem's kind";
  EXPECT_EQ(options.problem, "attention(D=8)");
  EXPECT_EQ(options.blocks, 3u);
  EXPECT_EQ(request.shared.program->name, "attn-fuzz");
}

}  // namespace
}  // namespace ropewalk::tools
