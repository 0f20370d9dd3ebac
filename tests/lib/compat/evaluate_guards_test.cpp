// What keeps a caller from going on with a version that it does not take.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Guards : public CallerSources {
 protected:
  // The statements stand before a function whose body begins with `first`, and which passes softcap.
  static std::string source(const std::string& statements, const std::string& first = "",
                            const std::string& decorator = "") {
    return "import os, re, sys, unittest\nimport pytest, flash_attn\nfrom flash_attn import flash_attn_func\n"
           "from packaging.version import Version\nV = Version(flash_attn.__version__)\n" +
           statements + "\n" + (decorator.empty() ? "" : "@" + decorator + "\n") + "def test_softcap(q):\n" +
           (first.empty() ? "" : "    " + first + "\n") + "    flash_attn_func(q, q, q, softcap=1.0)\n";
  }
  void expect_guarded(const std::string& text) {
    EXPECT_EQ(verdict("2.5.6", text), "open") << text;
    EXPECT_EQ(verdict("2.6.3", text), "clean") << text;
  }
  // What it is worth where the test asks the other way round.
  static std::string turned(std::string text) {
    text.replace(text.find("V < Version('2.6')"), 18, "V >= Version('2.6')");
    return text;
  }
};

TEST_F(Guards, CallsThatDoNotComeBackEndAWay) {
  for (const char* call : {"sys.exit('old')", "os._exit(1)", "exit()", "pytest.skip('old')", "pytest.fail('old')",
                           "pytest.skip('old', allow_module_level=True)", "die('old')", "leave()"}) {
    const std::string own =
        "def die(message):\n    for line in message: print(line)\n    raise SystemExit(message)\n"
        "def leave(): sys.exit(1)\n";
    const std::string test = std::string("if V < Version('2.6'): ") + call;
    for (const std::string& text : {source(own + test), source(own, test)}) {
      expect_guarded(text);
      EXPECT_EQ(verdict("2.5.6", turned(text)), "keyword-unknown") << text;
    }
  }
  EXPECT_EQ(verdict("2.5.6", source("def exists(x): return x\nif V < Version('2.6'): exists('old')")),
            "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("if V < Version('2.6'): print('old')")), "keyword-unknown");
}

TEST_F(Guards, FunctionsThatRaiseEndAWay) {
  const std::string own =
      "def require(wanted, why=''):\n    if V < Version(wanted):\n        raise RuntimeError(why)\n"
      "def checked(wanted):\n    assert V >= Version(wanted)\n    return V\n";
  expect_guarded(source(own, "require('2.6.0')"));
  expect_guarded(source(own, "found = checked('2.6.0')"));
  expect_guarded(source(own + "require(wanted='2.6', why='cap')"));
  expect_guarded(source(own, "cap = bool(q)\n    if not cap: return\n    if cap and V < Version('2.6'): sys.exit()"));
  EXPECT_EQ(verdict("2.5.6", source(own, "require('2.5')")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source(own, "found = checked('2.5')")), "keyword-unknown");
}

TEST_F(Guards, WhatCannotBeComputedIsNotJudged) {
  const std::string own =
      "def require(wanted):\n    while re.match(wanted, flash_attn.__version__) is None:\n"
      "        raise RuntimeError\n"
      "def log():\n    for part in V.release: print(part)\n"
      "def check(q):\n    for one in q:\n        if one is None: raise ValueError\n";
  expect_guarded(source(own, "require('2.6')"));
  EXPECT_EQ(verdict("2.5.6", source(own, "log()")), "keyword-unknown") << "it always comes back";
  EXPECT_EQ(verdict("2.5.6", source(own, "check(q)")), "keyword-unknown") << "it does not ask for the version";
}

TEST_F(Guards, MarksSkipTests) {
  for (const char* mark : {"pytest.mark.skipif(V < Version('2.6'), reason='cap')",
                           "pytest.mark.skipif(condition=V < Version('2.6'), reason='cap')",
                           "unittest.skipIf(V < Version('2.6'), 'cap')", "needs('2.6')", "new"}) {
    const std::string own =
        "def needs(wanted):\n    return pytest.mark.skipif(V < Version(wanted), reason=wanted)\n"
        "new = unittest.skipUnless(V >= Version('2.6'), 'cap')\n";
    expect_guarded(source(own, "", mark));
  }
  EXPECT_EQ(verdict("2.5.6", source("", "", "pytest.mark.skipif(V >= Version('2.6'), reason='cap')")),
            "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("", "", "pytest.mark.parametrize('q', [1, 2])")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("", "", "pytest.mark.skip")), "open");
  EXPECT_EQ(verdict("2.6.3", source("", "", "pytest.mark.skip")), "open") << "it is never run";
}

TEST_F(Guards, DecoratorsThatAskForTheVersionLeaveOpenWhatTheyDecorate) {
  const std::string own =
      "def needs(wanted):\n    def decorate(f):\n        if V < Version(wanted):\n"
      "            return lambda *a: None\n        return f\n    return decorate\n"
      "def plain(f):\n    return lambda *a: f(*a)\n";
  expect_guarded(source(own, "", "needs('2.6')"));
  EXPECT_EQ(verdict("2.5.6", source(own, "", "plain")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("from somewhere import register", "", "register('cap')")), "keyword-unknown");
}

// A decorator with an argument, whose wrapper's body is `body`.
std::string needs(const std::string& body) {
  return "import functools\ndef needs(wanted):\n    def decorate(fn):\n        @functools.wraps(fn)\n"
         "        def inner(*args, **kwargs):\n" +
         body + "        return inner\n    return decorate\n";
}

TEST_F(Guards, DecoratorsOfTheSourceAreFollowed) {
  const std::string raising =
      needs("            if V < Version(wanted): raise RuntimeError(wanted)\n            return fn(*args, **kwargs)\n");
  expect_guarded(source(raising, "", "needs('2.6.0')"));
  EXPECT_EQ(verdict("2.5.6", source(raising, "", "needs('2.5.0')")), "keyword-unknown");
  const std::string quiet = needs(
      "            if V >= Version(wanted):\n                return fn(*args, **kwargs)\n            return None\n");
  expect_guarded(source(quiet, "", "needs('2.6.0')"));
  EXPECT_EQ(verdict("2.5.6", source(quiet, "", "needs('2.5.0')")), "keyword-unknown");
  const std::string itself =
      "def if_new(fn):\n    if V >= Version('2.6'): return fn\n"
      "    def missing(*args, **kwargs): raise RuntimeError('old')\n    return missing\n";
  expect_guarded(source(itself, "", "if_new"));
  // What cannot be computed, or gives the function to somebody else, leaves it open.
  for (const char* body : {"            if V < Version(wanted) and late(): raise RuntimeError(wanted)\n"
                           "            return fn(*args, **kwargs)\n",
                           "            if V < Version(wanted): return other(fn)\n            return fn(*args)\n"}) {
    EXPECT_EQ(verdict("2.5.6", source(needs(body), "", "needs('2.6.0')")), "open") << body;
  }
}

TEST_F(Guards, OfTestCasesAreFollowed) {
  const auto test_case = [](const std::string& mark, const std::string& set_up, const std::string& first) {
    return source(mark + "class Test(unittest.TestCase):\n    def setUp(self):\n        " + set_up +
                  "\n    def test(self):\n        " + first + "\n        flash_attn_func(1, 2, 3, softcap=1.0)\n" +
                  "def plain(q): flash_attn_func(q, q, q)\n");
  };
  const std::string old = "if V < Version('2.6'): self.skipTest('old')";
  // The function that source() adds is wrong by itself: these sources end before it.
  const auto alone = [&](const std::string& text) { return text.substr(0, text.find("\ndef test_softcap")); };
  const std::string mark = "@unittest.skipIf(V < Version('2.6'), 'old')\n";
  for (const std::string& text :
       {test_case("", old, "pass"), test_case("", "pass", old), test_case(mark, "pass", "pass")}) {
    EXPECT_EQ(verdict("2.5.6", alone(text)), "clean") << text;
    EXPECT_EQ(verdict("2.6.3", alone(text)), "clean") << text;
    EXPECT_EQ(verdict("2.5.6", alone(turned(text))), "keyword-unknown") << text;
  }
}

TEST_F(Guards, ImportsOfTestsMayAskForAVersion) {
  const auto import = [](const std::string& arguments) {
    return "import pytest\nfa = pytest.importorskip('flash_attn'" + arguments +
           ")\nfrom flash_attn import flash_attn_func\ndef test(q):\n    flash_attn_func(q, q, q, softcap=1.0)\n";
  };
  EXPECT_EQ(verdict("2.5.6", import(", minversion='2.6.0'")), "open");
  EXPECT_EQ(verdict("2.6.3", import(", minversion='2.6.0'")), "clean");
  EXPECT_EQ(verdict("2.5.6", import(", minversion='2.5'")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", import("")), "keyword-unknown");
}

// An assertion on data beside a version test that ends nothing.
TEST_F(Guards, AFunctionComesBackWhateverItMakesOfTheVersion) {
  const auto text = [](const std::string& body) {
    return "import flash_attn, re\nfrom flash_attn import flash_attn_func\ndef scaled(q):\n" + body +
           "    return q\ndef attend(q):\n    q = scaled(q)\n    return flash_attn_func(q, q, q, softcap=1.0)\n";
  };
  const std::string odd = "    new = re.match('(?!9)2.6', flash_attn.__version__)\n",
                    data = "    assert q is not None\n";
  EXPECT_EQ(verdict("2.5.6", text(odd + data + "    if new: q = q * 2\n")), "keyword-unknown");
  const std::string given = odd + "    kw = {'causal': True} if new else {}\n";
  EXPECT_EQ(
      verdict("2.5.6", text(given + data + "    o = flash_attn_func(q, q, q, **kw)\n    if o is None: return q\n")),
      "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", text(odd + data + "    if new: raise RuntimeError\n")), "open");
  EXPECT_EQ(verdict("2.5.6", text(odd + "    if new: return q\n    raise RuntimeError\n")), "open");
  EXPECT_EQ(verdict("2.5.6", text(odd + "    assert new\n")), "open");
}

}  // namespace
}  // namespace ropewalk::compat
