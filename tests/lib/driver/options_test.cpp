#include "lib/driver/options.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"

namespace ropewalk::driver {
namespace {

TEST(DriverOptions, AreReadAsTheyAreWritten) {
  Options options;
  options.target = "sm_90";
  options.devices = 2;
  options.checks = parse_checks("bounds,races");
  options.kernels = {"rope*"};
  options.leaks = true;
  options.seconds = 1.5;
  const Options read = parse_options(text_of(options), "options.json");
  EXPECT_EQ(text_of(read), text_of(options));
  EXPECT_EQ(read.checks, options.checks);
  EXPECT_EQ(parse_options("{}", "options.json").target, "sm_80");
}

TEST(DriverOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(parse_options(R"({"targt": "sm_80"})", "options.json"), InputError);
  EXPECT_THROW(parse_options(R"({"devices": "two"})", "options.json"), InputError);
  EXPECT_THROW(parse_options(R"({"checks": "everything"})", "options.json"), InputError);
}

}  // namespace
}  // namespace ropewalk::driver
