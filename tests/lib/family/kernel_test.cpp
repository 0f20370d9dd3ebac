#include "lib/family/kernel.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tests/lib/message.h"

namespace ropewalk {
namespace {

Kernel made(const std::string& name, const std::string& counterpart = "") {
  Kernel kernel;
  kernel.name = name;
  kernel.counterpart = counterpart;
  return kernel;
}

TEST(Kernels, CorrectOnesComeFirstAndEachFaultyOneKnowsItsOwn) {
  const Kernels kernels({made("faulty/b", "b"), made("a"), made("faulty/a", "a"), made("b")});
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels.all()) names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "faulty/b", "faulty/a"}));
  EXPECT_EQ(kernels.named("faulty/a").correct, &kernels.named("a"));
  EXPECT_EQ(kernels.named("b").correct, nullptr);
}

TEST(Kernels, WhatIsNotThereIsNamed) {
  EXPECT_THROW(Kernels({made("faulty/a", "a")}), InternalError);
  const Kernels kernels({made("rotary/apply")});
  EXPECT_EQ(message_of([&] { kernels.named("rotary/aply"); }),
            "no kernel \"rotary/aply\", did you mean \"rotary/apply\"?");
}

TEST(Kernels, AProblemHasNoAnswerWhereTheCounterpartRejectsIt) {
  Kernel right = made("a"), faulty = made("faulty/a", "a");
  right.reject = [](const Problem&) { return std::vector<std::string>{"too wide"}; };
  faulty.reject = [](const Problem&) { return std::vector<std::string>{}; };
  const Kernels kernels({faulty, right});
  EXPECT_EQ(unanswerable(kernels.named("faulty/a"), Problem()), std::vector<std::string>{"too wide"});
}

}  // namespace
}  // namespace ropewalk
