#include "tools/parse/values.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"

namespace ropewalk::tools {
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

TEST(Values, Counts) {
  EXPECT_EQ(read_count("--n", "0"), 0u);
  EXPECT_EQ(read_count("--n", "18446744073709551615"), ~u64{0});
  for (const char* text : {"", "-1", "1.5", "1x", " 1", "18446744073709551616"}) {
    EXPECT_EQ(error_of([&] { read_count("--n", text); }),
              std::string("--n: expected a whole number, found \"") + text + "\"");
  }
  EXPECT_EQ(error_of([] { read_count("--n", "1", 2); }), "--n: expected a whole number of at least 2, found \"1\"");
}

TEST(Values, Integers) {
  EXPECT_EQ(read_integer("--n", "-9223372036854775808"), std::numeric_limits<i64>::min());
  EXPECT_EQ(read_integers("--n", "0,-5,9"), (std::vector<i64>{0, -5, 9}));
  for (const char* text : {"", ",", "1,", ",1", "1,,2", "1;2"}) {
    EXPECT_EQ(error_of([&] { read_integers("--n", text); }),
              std::string("--n: expected integers separated by commas, found \"") + text + "\"");
  }
}

TEST(Values, Budgets) {
  EXPECT_EQ(read_budget("--budget", "30s").seconds, 30);
  EXPECT_EQ(read_budget("--budget", "1.5m").seconds, 90);
  EXPECT_EQ(read_budget("--budget", "2h").seconds, 7200);
  EXPECT_EQ(read_budget("--budget", "2000").cases, 2000u);
  for (const char* text : {"1e30s", "", "0", "0s", "-1s", "s", "5d", "infs", "nans"}) {
    EXPECT_EQ(error_of([&] { read_budget("--budget", text); }),
              std::string("--budget: expected a time such as 30s or 5m, or a number of cases, found \"") + text + "\"");
  }
}

TEST(Values, Bytes) {
  EXPECT_EQ(read_bytes("--n", "4096"), 4096u);
  EXPECT_EQ(read_bytes("--n", "3K"), 3072u);
  EXPECT_EQ(read_bytes("--n", "16G"), u64(16) << 30);
  for (const char* text : {"", "0", "0M", "-1", "M", "1.5G", "1X", "16777216T"}) {
    EXPECT_EQ(error_of([&] { read_bytes("--n", text); }),
              std::string("--n: expected a number of bytes such as 512M or 16G, found \"") + text + "\"");
  }
}

TEST(Values, Words) {
  EXPECT_EQ(read_word("--color", "never", {"auto", "always", "never"}), 2u);
  EXPECT_EQ(error_of([] {
              read_word("--color", "neever", {"auto", "always", "never"});
            }),
            "--color: \"neever\" is not known; did you mean \"never\"?");
}

}  // namespace
}  // namespace ropewalk::tools
