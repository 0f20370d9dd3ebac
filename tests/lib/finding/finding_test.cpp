#include "lib/finding/finding.h"

#include <gtest/gtest.h>

#include <functional>

namespace ropewalk {
namespace {

Finding example() {
  Finding finding;
  finding.rule = Rule::OutOfBoundsWrite;
  finding.kernel_entry = "rotary";
  finding.location = FindingLocation{"apply.cu", 41, 5, {}, "apply.ptx", 212, "st.global.b16 [%rd9], %rs4"};
  finding.access = Access{};
  finding.access->tensor = "out";
  return finding;
}

std::string id_after(const std::function<void(Finding&)>& change) {
  Finding finding = example();
  change(finding);
  identify(finding);
  return finding.id;
}

// A baseline keeps ids, so they must not change from version to version.
TEST(Finding, id_is_stable) {
  EXPECT_EQ(id_after([](Finding&) {}), "4a8255e3");
  EXPECT_EQ(id_after([](Finding&) {}).size(), 8u);
}

TEST(Finding, id_tells_defects_apart_and_nothing_else) {
  const std::string id = id_after([](Finding&) {});
  EXPECT_NE(id, id_after([](Finding& f) { f.rule = Rule::OutOfBoundsRead; }));
  EXPECT_NE(id, id_after([](Finding& f) { f.kernel_entry = "rotary2"; }));
  EXPECT_NE(id, id_after([](Finding& f) { f.kernel_name = "rotary2"; }));
  // Entries of one kernel have its defects in common.
  const auto of_kernel = [](Finding& f, const char* entry) {
    f.kernel_name = "rotary/apply";
    f.kernel_entry = entry;
  };
  EXPECT_EQ(id_after([&](Finding& f) { of_kernel(f, "rotary_f32"); }),
            id_after([&](Finding& f) { of_kernel(f, "rotary_bf16"); }));
  EXPECT_NE(id, id_after([](Finding& f) { f.location->line = 42; }));
  EXPECT_NE(id, id_after([](Finding& f) { f.location->column = 6; }));
  EXPECT_NE(id, id_after([](Finding& f) { f.access->tensor = "x"; }));
  EXPECT_EQ(id, id_after([](Finding& f) { f.message = "other words"; }));
  EXPECT_EQ(id, id_after([](Finding& f) { f.occurrences.threads = 9; }));
  // The position in the PTX counts only where there are no source lines.
  EXPECT_EQ(id, id_after([](Finding& f) { f.location->ptx_line = 3; }));
  const auto without_source = [](Finding& f, u64 line) {
    f.location->file = "";
    f.location->ptx_line = line;
  };
  EXPECT_NE(id_after([&](Finding& f) { without_source(f, 3); }), id_after([&](Finding& f) { without_source(f, 4); }));
}

TEST(Finding, limits_of_a_launch_are_told_apart_by_their_words_at_one_location_too) {
  const auto limit = [](const char* message) {
    return id_after([&](Finding& f) {
      f.rule = Rule::LaunchLimit;
      f.access.reset();
      f.message = message;
    });
  };
  EXPECT_EQ(limit("grid.y is 70000, the limit is 65535"), limit("grid.y is 80000, the limit is 65535"));
  EXPECT_NE(limit("grid.y is 70000, the limit is 65535"), limit("block.x is 2048, the limit is 1024"));
}

TEST(Finding, defects_of_a_table_are_told_apart_by_their_causes) {
  const auto of_table = [](const char* cause) {
    return id_after([&](Finding& f) {
      f.rule = Rule::CacheMismatch;
      f.location.reset();
      f.cause.emplace().id = cause;
    });
  };
  EXPECT_EQ(of_table("wrong-theta"), of_table("wrong-theta"));
  EXPECT_NE(of_table("wrong-theta"), of_table("nan-rows"));
  const auto with_cause = [](const char* cause) { return id_after([&](Finding& f) { f.cause.emplace().id = cause; }); };
  EXPECT_EQ(with_cause("missing-row-mask"), with_cause("int32-overflow"));
}

TEST(Finding, severities_have_names) {
  EXPECT_EQ(name_of(Severity::Error), "error");
  EXPECT_EQ(name_of(Severity::Warning), "warning");
  EXPECT_EQ(name_of(Severity::Note), "note");
}

}  // namespace
}  // namespace ropewalk
