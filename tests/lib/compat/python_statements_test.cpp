#include "lib/compat/python_statements.h"

#include <gtest/gtest.h>

#include "tests/lib/message.h"

namespace ropewalk {
namespace {

std::string refused(const std::string& text) {
  return message_of([&] { read_python("a.py", text); });
}

TEST(PythonStatements, BlocksStandBelowTheirHeads) {
  const PythonFile file = read_python("a.py",
                                      "import x  # a comment\n"
                                      "\n"
                                      "if a:\n"
                                      "    b = (1,\n"
                                      "  2)\n"
                                      "        # a comment at another depth\n"
                                      "    while c:\n"
                                      "\td = 1  # a tab goes on to the eighth column\n"
                                      "        e = 1\n"
                                      "f = \\\n"
                                      "  6\n");
  ASSERT_EQ(file.statements.size(), 3u);
  ASSERT_EQ(file.statements[1].body.size(), 2u);
  EXPECT_EQ(text_of(TokenSpan(file.statements[1].body[0].tokens)), "b = (1, 2)");
  EXPECT_EQ(file.statements[1].body[1].body.size(), 2u);
  EXPECT_EQ(file.statements[2].line(), 10u);
  EXPECT_EQ(refused("if a:\n    b = 1\n  c = 2\n"), "a.py:3:3: the indentation fits no line above it");
}

TEST(PythonStatements, OneLinersAndSemicolons) {
  const PythonFile file = read_python("a.py", "if a: b = 1; c = 2\nelse: d = lambda x: x\nf = 6\n");
  ASSERT_EQ(file.statements.size(), 3u);
  EXPECT_EQ(file.statements[0].body.size(), 2u);
  EXPECT_EQ(text_of(TokenSpan(file.statements[1].body[0].tokens)), "d = lambda x: x");
  EXPECT_EQ(file.statements[2].line(), 3u);
}

TEST(PythonStatements, StringsHoldAnything) {
  const PythonFile file = read_python("a.py",
                                      "a = 'it\\'s # no comment'\n"
                                      "b = \"\"\"two\nlines \" and ' inside\"\"\"\n"
                                      "c = rb'\\\\'\n"
                                      "d = f\"{x[\"key\"]} {{ {y!r:>{width}}\"\n"
                                      "e = '(' + \"[\"\n");
  ASSERT_EQ(file.statements.size(), 5u);
  EXPECT_EQ(file.statements[2].line(), 4u);
  EXPECT_EQ(contents_of(file.statements[0].tokens[2]), "it\\'s # no comment");
  EXPECT_EQ(contents_of(file.statements[3].tokens[2]), "");
}

TEST(PythonStatements, WhatIsNoPythonIsOneLineWithItsPlace) {
  EXPECT_EQ(refused("a = 'open\n"), "a.py:1:5: the string is never closed");
  EXPECT_EQ(refused("a = 1\nb = (2,\n"), "a.py:2: \"(\" is never closed");
  EXPECT_EQ(refused("a = [1)\n"), "a.py:1:7: \")\" cannot close the \"[\" of line 1");
  EXPECT_EQ(refused("a = 1]\n"), "a.py:1:6: \"]\" closes nothing");
  EXPECT_EQ(refused("if a:\nb = 1\n"), "a.py:1: an indented block is missing after this line");
  EXPECT_EQ(refused("if a\n    b = 1\n"), "a.py:1: a \":\" is missing at the end of if");
  EXPECT_EQ(refused("a = 1\n    b = 1\n"), "a.py:2: is indented without need");
  EXPECT_EQ(refused("a = $\n"), "a.py:1:5: found \"$\", which is no Python");
}

}  // namespace
}  // namespace ropewalk
