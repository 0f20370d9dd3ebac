// Races between streams, on the accesses of real launches.
#include "lib/init/streams.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/init/check_plan.h"
#include "lib/init/read_plan.h"

namespace ropewalk::init {
namespace {

PlanAnswer answer_to_streams(const std::string& events,
                             const std::string& buffers = R"("cos_sin": {"persistent": true})") {
  return check_plan(
      read_plan(R"({"schema": "ropewalk.plan/1", "config": {"head_dim": 16, "max_position_embeddings": 64},
    "buffers": {)" + buffers +
                    R"(}, "events": [{"do": "construct", "on": "device"},)" + events + "]}",
                "plan.json"),
      kernels::shipped_kernels());
}

bool has_line(const Finding& finding, const std::string& part) {
  for (const std::string& line : finding.cause->evidence) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

void expect_race(const PlanAnswer& answer, const std::string& first, const std::string& second) {
  ASSERT_EQ(answer.findings.size(), 1u);
  const Finding& finding = answer.findings[0];
  ASSERT_TRUE(finding.cause);
  EXPECT_EQ(finding.cause->id, "missing-stream-wait");
  EXPECT_TRUE(has_line(finding, first)) << finding.cause->evidence.at(2);
  EXPECT_TRUE(has_line(finding, second)) << finding.cause->evidence.at(2);
}

const std::string build_aside = R"({"do": "build_cache", "stream": "side", "after": "construct"})";

TEST(Streams, AReadThatDoesNotWaitForTheWriteIsARace) {
  expect_race(answer_to_streams(build_aside + R"(, {"do": "forward", "after": "build_cache"})"),
              "rotary/cache writes byte 0 of cos at kernels/rotary/cache.cu", "rotary/apply reads byte 0 of cos at");
}

TEST(Streams, AWaitAfterTheWriteOrdersThem) {
  EXPECT_TRUE(
      answer_to_streams(build_aside + R"(, {"do": "wait", "stream": "default", "for": "side", "after": "build_cache"},
                                    {"do": "forward", "after": "wait"})")
          .findings.empty());
}

TEST(Streams, AWaitOverAThirdStreamOrdersThem) {
  EXPECT_TRUE(
      answer_to_streams(build_aside + R"(, {"do": "wait", "stream": "copy", "for": "side", "after": "build_cache"},
                                    {"name": "wait 2", "do": "wait", "stream": "default", "for": "copy", "after": "wait"},
                                    {"do": "forward", "after": "wait 2"})")
          .findings.empty());
}

TEST(Streams, AWaitBeforeTheWriteOrdersNothing) {
  expect_race(answer_to_streams(R"({"do": "wait", "stream": "default", "for": "side", "after": "construct"},
      {"do": "build_cache", "stream": "side", "after": "wait"}, {"do": "forward", "after": "build_cache"})"),
              "rotary/cache writes", "rotary/apply reads");
}

TEST(Streams, AWriteIntoWhatAnotherStreamStillReadsIsARace) {
  expect_race(answer_to_streams(R"({"do": "build_cache", "after": "construct"},
      {"do": "wait", "stream": "side", "for": "default", "after": "build_cache"},
      {"do": "forward", "stream": "side", "after": "wait"}, {"do": "load_checkpoint", "after": "forward"})"),
              "rotary/apply reads byte 0 of cos at", "a copy writes it");
}

TEST(Streams, NewMemoryIsNobodyElses) {
  EXPECT_TRUE(answer_to_streams(R"({"do": "build_cache", "after": "construct"},
      {"do": "wait", "stream": "side", "for": "default", "after": "build_cache"},
      {"do": "forward", "stream": "side", "after": "wait"},
      {"do": "reset_parameters", "after": "forward"},
      {"name": "again", "do": "forward", "after": "reset_parameters"})")
                  .findings.empty());
}

TEST(Streams, FrequenciesAreReadByTheTableThatIsBuiltFromThem) {
  expect_race(answer_to_streams(R"({"name": "frequencies", "do": "build_cache", "stream": "side", "buffers": "inv_freq",
        "after": "construct"},
      {"name": "table", "do": "build_cache", "buffers": "cos_sin", "after": "frequencies"},
      {"do": "forward", "buffers": "cos_sin", "after": "table"})",
                                R"("inv_freq": {"holds": "frequencies"}, "cos_sin": {"from": "inv_freq"})"),
              "a copy writes it", "rotary/cache reads byte 0 of frequencies at kernels/rotary/cache.cu");
}

// Which bytes are touched decides, not which tensor.
TEST(Streams, AccessesMeetInBytes) {
  const auto touching = [](bool write, u64 bits) {
    return BufferAccesses{"k", false, {{"cos", {0, write, {"k.cu", 1}, {bits}}}}};
  };
  EXPECT_FALSE(conflict_of(touching(true, 0x0f), touching(false, 0xf0)));
  EXPECT_FALSE(conflict_of(touching(false, 0x0f), touching(false, 0x0f)));
  const std::optional<Conflict> met = conflict_of(touching(true, 0x0f), touching(false, 0x18));
  ASSERT_TRUE(met);
  EXPECT_EQ(met->first, "k writes byte 3 of cos at k.cu:1");
  EXPECT_EQ(met->second, "k reads byte 3 of cos at k.cu:1");
}

}  // namespace
}  // namespace ropewalk::init
