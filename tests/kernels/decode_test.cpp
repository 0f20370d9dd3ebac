// Decode attention and the merge of its parts: what their preconditions say, what they leave alone, and both in a row.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/kernels.h"
#include "lib/compare/elements.h"
#include "lib/compare/expect.h"
#include "lib/compare/judge.h"
#include "lib/machine/machine.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {

using families::parse_problem;

namespace {

std::string first_reason(const char* kernel, const char* problem) {
  const auto reasons = kernel_named(kernel).reject(parse_problem(problem));
  return reasons.empty() ? "" : reasons.front();
}
std::string decode_says(const char* problem) { return first_reason("attention/decode", problem); }

TEST(DecodeContract, says_what_is_wrong) {
  EXPECT_EQ(decode_says("attention(B=2,page_size=16,key_lengths=[0,16],splits=128,spare_pages=3)"), "");
  EXPECT_EQ(decode_says("attention(splits=0)"),
            "splits is 0, it must be from 1 to 128: parts that the keys are split into");
  EXPECT_EQ(decode_says("attention(splits=129)"),
            "splits is 129, it must be from 1 to 128: parts that the keys are split into");
  EXPECT_EQ(decode_says("attention(B=2,key_lengths=[1])"),
            "key_lengths has 1 entries, it must have one for each of 2 sequences");
  EXPECT_EQ(decode_says("attention(B=2,key_lengths=[1,17])"),
            "key_lengths[1] is 17, it must be from 0 to Tk = 16, the keys that there is room for");
  EXPECT_EQ(decode_says("attention(key_lengths=[-1])"),
            "key_lengths[0] is -1, it must be from 0 to Tk = 16, the keys that there is room for");
  EXPECT_EQ(decode_says("attention(page_size=-4)"),
            "page_size is -4, it must be a number of tokens up to 2^30, or 0 for no pages");
  EXPECT_EQ(decode_says("attention(spare_pages=2)"), "spare_pages goes with page_size, which is missing");
  EXPECT_EQ(decode_says("attention(block_table=[0])"), "block_table goes with page_size, which is missing");
  EXPECT_EQ(decode_says("attention(B=2,page_size=16,block_table=[0])"),
            "block_table has 1 entries, it must have as many for each of 2 sequences");
  EXPECT_EQ(decode_says("attention(Tk=33,page_size=16,block_table=[0,1])"),
            "block_table has 2 pages of 16 tokens for sequence 0, which has 33 keys: it needs 3 pages");
  EXPECT_EQ(decode_says("attention(Tk=20,page_size=16,block_table=[0,2])"),
            "block_table[0, 1] is 2, there are pages 0 to 1");
  EXPECT_EQ(decode_says("attention(Tk=20,page_size=16,block_table=[-1,0])"),
            "block_table[0, 0] is -1, there are pages 0 to 1");
  // Pages behind the keys are nobody's, whatever the table says of them.
  EXPECT_EQ(decode_says("attention(Tk=20,page_size=16,block_table=[1,77],key_lengths=[16])"), "");
  EXPECT_EQ(decode_says("attention(cu_seqlens_q=[0,16],cu_seqlens_k=[0,16])"),
            "cu_seqlens are given, this kernel takes sequences of one length alone");
  EXPECT_EQ(first_reason("attention/forward", "attention(page_size=16)"),
            "page_size is 16, this kernel takes k and v without pages");
  EXPECT_EQ(first_reason("attention/forward", "attention(key_lengths=[3])"),
            "key_lengths are given, this kernel takes sequences that all have Tk keys");
  EXPECT_EQ(first_reason("attention/backward", "attention(splits=2)"),
            "splits is 2, this kernel takes all keys at once");
  EXPECT_EQ(first_reason("attention/merge", "attention(page_size=16)"),
            "page_size is 16, this kernel takes k and v without pages");
}

const LaunchTensor& tensor_of(const Launch& launch, const char* name) {
  return launch.tensors[u64(launch.tensor_named(name))];
}

// Rows and columns of the regions of a tensor.
std::vector<std::vector<i64>> regions_of(const char* problem, const char* tensor) {
  const Launch launch = kernel_named("attention/decode").launch(parse_problem(problem));
  std::vector<std::vector<i64>> regions;
  for (const Region& region : tensor_of(launch, tensor).regions) {
    regions.push_back({region.first_row, region.last_row, region.first_column, region.last_column});
  }
  return regions;
}

TEST(DecodeLaunch, leaves_out_what_belongs_to_no_sequence) {
  using Regions = std::vector<std::vector<i64>>;
  const char* const lengths = "attention(B=3,Tk=5,H=2,D=4,key_lengths=[2,0,5])";
  EXPECT_EQ(regions_of(lengths, "k"), (Regions{{0, 4, 0, 4}, {20, 30, 0, 4}}));
  const char* const pages =
      "attention(B=2,Tk=7,H=1,D=4,key_lengths=[5,2],page_size=4,spare_pages=1,block_table=[3,1,0,-1])";
  EXPECT_EQ(regions_of(pages, "v"), (Regions{{0, 2, 0, 4}, {4, 5, 0, 4}, {12, 16, 0, 4}}));
  EXPECT_EQ(regions_of(pages, "block_table"), (Regions{{0, 1, 0, 2}, {1, 2, 0, 1}}));
  EXPECT_EQ(regions_of("attention(B=2,Tk=4,key_lengths=[0,0])", "k"), (Regions{{0, 0, 0, 64}}));
  EXPECT_EQ(regions_of("attention(Tk=4)", "k"), Regions{});
}

TEST(DecodeLaunch, has_one_block_for_the_heads_of_a_group) {
  const auto blocks = [](const char* problem) {
    return kernel_named("attention/decode").launch(parse_problem(problem)).grid.x;
  };
  EXPECT_EQ(blocks("attention(B=3,Tq=1,H=32,key_heads=2,splits=5)"), 3u * 2 * 5);
  EXPECT_EQ(blocks("attention(Tq=17,H=1)"), 2u);
}

std::vector<double> numbers_of(const Launch& launch, const Outcome& outcome, const char* name) {
  const LaunchTensor& tensor = tensor_of(launch, name);
  std::vector<double> numbers(u64(element_count(tensor.shape)));
  compare::read_elements(outcome.tensors[u64(launch.tensor_named(name))].bytes, tensor.dtype, 1, i64(numbers.size()),
                         numbers.data());
  return numbers;
}

// The parts that the one leaves are what the other merges, and that is the answer of the whole.
TEST(Decode, in_parts_and_merged_is_the_whole) {
  for (const char* text : {"attention(B=2,Tq=2,Tk=70,H=4,D=32,key_heads=2,splits=3)",
                           "attention(B=2,Tq=3,Tk=40,H=2,D=80,dtype=bf16,causal=bottom-right,sink=true,"
                           "key_lengths=[1,33],page_size=8,spare_pages=2,splits=7)"}) {
    auto problem = parse_problem(text).get<AttentionProblem>();
    const auto machine = machine::make_machine();
    Launch parts = kernel_named("attention/decode").launch(problem);
    const Outcome of_parts = machine->run(parts, {});
    ASSERT_TRUE(of_parts.findings.empty()) << text;
    AttentionProblem of_merge = problem;
    of_merge.page_size = of_merge.spare_pages = 0;
    Launch merge = kernel_named("attention/merge").launch(of_merge);
    for (const char* name : {"out_partial", "lse_partial"}) {
      LaunchTensor& tensor = merge.tensors[u64(merge.tensor_named(name))];
      tensor.init =
          Given{std::make_shared<Array>(Array::of(Dtype::F32, tensor.shape, numbers_of(parts, of_parts, name))), ""};
    }
    const Outcome merged = machine->run(merge, {});
    ASSERT_TRUE(merged.findings.empty()) << text;

    AttentionProblem at_once = problem;
    at_once.splits = 1;
    Launch whole = kernel_named("attention/decode").launch(at_once);
    ASSERT_EQ(compare::expect_answer(kernel_named("attention/decode"), Problem(at_once), whole), "");
    for (const Expectation& expected : whole.expectations) {
      const std::string name = whole.tensors[expected.tensor].name;
      const std::vector<double> got = numbers_of(merge, merged, name.c_str());
      const auto* value = reinterpret_cast<const double*>(expected.values->bytes.data());
      const auto* bound = reinterpret_cast<const double*>(expected.bound->bytes.data());
      for (u64 n = 0; n < got.size(); ++n) {
        if (got[n] == value[n]) continue;
        // Twice what is justified at once: the parts have their own bound, and the merge its own.
        ASSERT_LE(std::abs(got[n] - value[n]), 2 * bound[n]) << text << " " << name << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace ropewalk::kernels
