#include "reports/format.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "reports/json.h"
#include "tests/reports/example.h"

namespace ropewalk {
namespace {

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Format, IsChosenBySuffix) {
  EXPECT_EQ(format_of_path("a/b.json").name, "json");
  EXPECT_EQ(format_of_path("b.txt").name, "txt");
  EXPECT_EQ(format_named("json").suffix, ".json");
}

TEST(Format, UnknownOnesListWhatThereIs) {
  EXPECT_EQ(error_of([] { format_of_path("b.yaml"); }),
            "b.yaml: the suffix names no report format; expected one of .json, .txt (or say --format)");
  EXPECT_EQ(error_of([] { format_named("yaml"); }), "no report format is named \"yaml\"; there are: json, txt");
}

TEST(Format, WritesTheReport) {
  const Report report = testing::example_report();
  EXPECT_EQ(format_named("json").write(report), json_of(report));
  EXPECT_NE(format_named("txt").write(report).find("out-of-bounds-write"), std::string::npos);
}

}  // namespace
}  // namespace ropewalk
