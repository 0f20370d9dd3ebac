// Python's own parser: what its trees become here.
#include <gtest/gtest.h>

#include "lib/compat/read_python.h"
#include "tests/lib/message.h"

namespace ropewalk::compat {
namespace {

// As the one statement's text; the file's other statements do not count.
std::string text(const std::string& source) { return read_python("a.py", source).statements.back().text; }
std::string refused(const std::string& source) {
  return message_of([&] { read_python("a.py", source); });
}

TEST(Python, EqualExpressionsHaveEqualTexts) {
  EXPECT_EQ(text("f( a,(b) , *c, d = 1,**e )  # why\n"), "f(a, b, *c, d=1, **e)");
  EXPECT_EQ(text("x = (a or b) and not (c\n  <= 1 < 2)\n"), "x = (a or b) and not c <= 1 < 2");
  EXPECT_EQ(text("x = ((a - b) - (c - d)) * -e ** 2"), "x = (a - b - (c - d)) * -e ** 2");
  EXPECT_EQ(text("x[1:, ..., \"it's\"] += {**a, 'b': (c,)}"), "x[(1:, Ellipsis, 'it\\'s')] += {**a, 'b': (c,)}");
  EXPECT_EQ(text("return_ = a if b else (c if d else e)"), "return_ = a if b else c if d else e");
  EXPECT_EQ(text("x = {a :b for a,b in (c if d else e) if a if not b}"),
            "x = {a: b for (a, b) in (c if d else e) if a if not b}");
  EXPECT_EQ(text("f({*a, b}, (x for x in y), (z:=1), f'{a!r:>{b}} c')"),
            "f({*a, b}, (x for x in y), z := 1, f'{a:>{b}} c')");
  EXPECT_NE(text("[x for x in a if x]"), text("[x for x in b if x]"));
  EXPECT_NE(text("f'{a} b'"), text("f'{b} b'"));
  EXPECT_NE(text("lambda x: x"), text("lambda x: y"));
}

TEST(Python, NodesHaveTheirLinesAndWords) {
  const PythonFile file = read_python("a.py", "\nif a:\n    b.c(1,\n 2)\nelif d: pass\n");
  const PythonNode& choice = file.statements[0];
  EXPECT_EQ(choice.kind, "If");
  EXPECT_EQ(choice.line, 2u);
  EXPECT_EQ(choice.one("body").one("value").last_line, 4u);
  EXPECT_EQ(dotted_name(choice.one("body").one("value").one("func")), "b.c");
  EXPECT_EQ(choice.one("orelse").kind, "If");
  EXPECT_FALSE(choice.one("body").one("value").one("keywords"));
}

TEST(Python, WhatIsForTypeCheckersIsLeftOut) {
  for (const char* test : {"TYPE_CHECKING", "typing.TYPE_CHECKING"}) {
    const PythonFile file =
        read_python("a.py", std::string("if ") + test + ":\n    from b import *\nelse:\n    from c import d\n");
    EXPECT_EQ(file.statements[0].one("body").kind, "Pass") << test;
    EXPECT_EQ(file.statements[0].one("orelse").kind, "ImportFrom") << test;
  }
  EXPECT_EQ(read_python("a.py", "if CHECKING:\n    from b import *\n").statements[0].one("body").kind, "ImportFrom");
}

TEST(Python, WhatIsNoPythonIsOneLineWithItsLocation) {
  EXPECT_TRUE(refused("a = 1\nprint 'old'\n").starts_with("a.py:2:1: Missing parentheses in call to 'print'"));
  EXPECT_TRUE(refused("a = 'open\n").starts_with("a.py:1:5: unterminated string literal"));
  EXPECT_TRUE(refused("if a:\nb = 1\n").starts_with("a.py:2:1: expected an indented block"));
  EXPECT_TRUE(refused("a = 1\n    b = 1\n").starts_with("a.py:2:4: unexpected indent (read by Python 3."));
  EXPECT_NE(refused(std::string("a = 1\0\n", 7)).find("null bytes"), std::string::npos);
  EXPECT_NE(refused("a = '\xff'\n").find("'utf-8' codec"), std::string::npos);
  std::string deep = "a = 1";
  for (int n = 0; n < 20000; ++n) deep += "+1";
  EXPECT_NE(refused(deep).find("nested too deeply"), std::string::npos);
  // The next one is read all the same.
  const SourceText good{"b.py", "b", "b = 1\n"}, bad{"a.py", "a", "a = \n"};
  EXPECT_EQ(read_python({&good, &good})[1].statements[0].text, "b = 1");
  EXPECT_TRUE(message_of([&] { read_python({&good, &bad}); }).starts_with("a.py:1:"));
}

}  // namespace
}  // namespace ropewalk::compat
