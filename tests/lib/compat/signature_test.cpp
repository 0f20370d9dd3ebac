#include "lib/compat/signature.h"

#include <gtest/gtest.h>

#include "tests/lib/message.h"

namespace ropewalk::compat {
namespace {

std::vector<Signature> signatures(const std::string& text) { return read_signatures(read_python("a.py", text)); }

TEST(Signature, HasDefaultsAnnotationsAndKinds) {
  const auto all = signatures(
      "@decorated(x, y=(1, 2))\n"
      "def f(\n"
      "    a, b: Optional[Tuple[int, int]] = (-1, -1),  # window\n"
      "    *rest, c, d: float = 0.5, **more,\n"
      ") -> Tuple[int, int]:\n"
      "    return a, b\n"
      "async def g(a, /, b, *, c=None): return a\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(text_of(all[0]), "f(a, b=(-1, -1), *rest, c, d=0.5, **more)");
  EXPECT_EQ(all[0].line, 2u);
  EXPECT_EQ(all[0].returns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(all[1].parameters[0].kind, SignatureParameter::Kind::PositionalOnly);
  EXPECT_EQ(all[1].parameters[1].kind, SignatureParameter::Kind::Either);
  EXPECT_EQ(all[1].parameters[2].kind, SignatureParameter::Kind::KeywordOnly);
  EXPECT_EQ(all[1].returns, std::vector<std::string>{"a"});
}

TEST(Signature, FunctionsOfClassesAndFunctionsAreTheirOwn) {
  const auto all = signatures(
      "class A:\n    def f(self): pass\n"
      "if x:\n    def g(a):\n        def h(b): pass\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "g");
}

TEST(Signature, ReturnsThatDifferAreNotClaimed) {
  EXPECT_TRUE(signatures("def f(a):\n    if g(a): return a\n    return a, a\n")[0].returns.empty());
  EXPECT_TRUE(signatures("def f(a):\n    return (a, b) if g(a) else c\n")[0].returns.empty());
  EXPECT_TRUE(signatures("def f(a):\n    return g(a)\n")[0].returns.empty());
  EXPECT_TRUE(signatures("def f(a):\n    b = g(a)\n    return b\n")[0].returns.empty()) << "it may be a tuple";
  EXPECT_EQ(signatures("def f(a):\n    b = torch.relu(a)\n    return b\n")[0].returns.size(), 1u);
  EXPECT_TRUE(signatures("def f(a):\n    a = a and a.b\n    return (a, a) if a else 1\n")[0].returns.empty());
}

TEST(Signature, AFlagMayDecideWhatIsReturned) {
  const std::vector<std::string> one = {"out"}, two = {"out", "lse"};
  for (const char* body : {"return (out, lse) if probs else out", "return out if not probs else (out, lse)",
                           "if probs: return out, lse\n    return out",
                           "if not probs:\n        return out\n    else:\n        return out, lse"}) {
    const Signature found = signatures("def f(out, lse, probs=False):\n    " + std::string(body) + "\n")[0];
    EXPECT_EQ(found.flag, "probs") << body;
    EXPECT_EQ(found.returns, one) << body;
    EXPECT_EQ(found.flagged, two) << body;
  }
  for (const char* body : {"return (out, lse) if probs and lse else out",
                           "if lse: return out\n    return out, lse, lse\n"
                           "    return (out, lse) if probs else out",
                           "probs = probs and lse\n    return (out, lse) if probs else out"}) {
    const Signature found = signatures("def f(out, lse, probs=False):\n    " + std::string(body) + "\n")[0];
    EXPECT_TRUE(found.returns.empty() && found.flag.empty()) << body;
  }
}

TEST(Signature, BrokenParametersAreReportedWithTheirLine) {
  EXPECT_TRUE(message_of([] { signatures("x = 1\ndef f(a, 3):\n    pass\n"); }).starts_with("a.py:2:10: "));
}

}  // namespace
}  // namespace ropewalk::compat
