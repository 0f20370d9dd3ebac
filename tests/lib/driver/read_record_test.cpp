// Records of processes, whole and cut.
#include "lib/driver/read_record.h"

#include <gtest/gtest.h>

#include "reports/json_finding.h"
#include "tests/lib/message.h"

namespace ropewalk::driver {
namespace {

std::string finding_line(const std::string& kernel) {
  Finding finding;
  finding.kernel_name = kernel;
  finding.message = "reads";
  identify(finding);
  return "{\"finding\":" + reports::finding_json(finding).dump() + "}\n";
}

std::string id_of(const std::string& kernel) {
  Finding finding;
  finding.kernel_name = kernel;
  finding.message = "reads";
  identify(finding);
  return finding.id;
}

const std::string first_line = "{\"process\":{\"pid\":7,\"command\":[\"./program\",\"one\"]}}\n";

TEST(ReadRecord, AddsUp) {
  const ProcessRecord record = read_record(
      first_line + finding_line("add") +
          "{\"launch\":{\"kernel\":\"add\",\"launches\":3,\"blocks\":12,\"blocks_total\":24,\"unchecked\":1}}\n" +
          "{\"launch\":{\"kernel\":\"scale\",\"launches\":2,\"blocks\":2,\"blocks_total\":2,\"unchecked\":0}}\n" +
          "{\"again\":{\"id\":\"" + id_of("add") + "\",\"times\":4}}\n" +
          "{\"not_run\":{\"case\":\"kernel scale\",\"reason\":\"wgmma\"}}\n" +
          "{\"unsupported\":{\"function\":\"cudaMallocArray\",\"caller\":\"main\"}}\n" +
          "{\"failed\":{\"function\":\"cudaMalloc\",\"error\":\"cudaErrorMemoryAllocation\"}}\n" +
          "{\"something new\":1}\n{\"end\":{\"launches\":5}}\n",
      "7.jsonl");
  EXPECT_EQ(record.process, 7);
  EXPECT_EQ(record.command, "./program one");
  EXPECT_EQ(record.launches, 5u);
  EXPECT_EQ(record.unchecked, 1u);
  EXPECT_EQ(record.blocks, 14u);
  EXPECT_EQ(record.blocks_total, 26u);
  ASSERT_EQ(record.findings.size(), 1u);
  EXPECT_EQ(record.findings[0].occurrences.cases, 5u);
  EXPECT_TRUE(record.findings[0].occurrences.at_least);
  ASSERT_EQ(record.not_run.size(), 1u);
  EXPECT_EQ(record.not_run[0].reason, "wgmma");
  ASSERT_EQ(record.unsupported.size(), 1u);
  EXPECT_EQ(record.unsupported[0].caller, "main");
  ASSERT_EQ(record.failed.size(), 1u);
  EXPECT_EQ(record.failed[0].error, "cudaErrorMemoryAllocation");
  EXPECT_TRUE(record.has_ended);
  EXPECT_FALSE(record.is_cut);
}

// A process may die in the middle of a line.
TEST(ReadRecord, IsReadWhereverItIsCut) {
  const std::string whole = first_line + finding_line("add") + finding_line("scale");
  for (u64 size = 0; size <= whole.size(); ++size) {
    const std::string text = whole.substr(0, size);
    const ProcessRecord record = read_record(text, "7.jsonl");
    const u64 lines = u64(std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(record.findings.size(), lines ? lines - 1 : 0) << size;
    EXPECT_EQ(record.is_cut, !text.empty() && text.back() != '\n') << size;
    EXPECT_FALSE(record.has_ended);
  }
}

TEST(ReadRecord, OtherDamageIsNamed) {
  EXPECT_EQ(message_of([] { read_record(first_line + "{\"again\":{\"id\":\"00000000\",\"times\":1}}\n", "7.jsonl"); }),
            "7.jsonl:2: again: no finding has the id 00000000");
  EXPECT_TRUE(message_of([] { read_record(first_line + "oh\n", "7.jsonl"); }).starts_with("7.jsonl:2"));
}

}  // namespace
}  // namespace ropewalk::driver
