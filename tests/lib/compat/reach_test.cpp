// Functions and classes that a file has for other versions.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Reached : public CallerSources {
 protected:
  // A class and a function that pass softcap, others that do not, and what chooses between them.
  static std::string source(const std::string& choice) {
    return "import re, flash_attn\nfrom flash_attn import flash_attn_func\nfrom packaging.version import Version\n"
           "V = Version(flash_attn.__version__)\n"
           "class Old:\n    def run(self, q): return flash_attn_func(q, q, q)\n"
           "class New:\n    def run(self, q): return with_cap(q)\n"
           "def with_cap(q): return flash_attn_func(q, q, q, softcap=1.0)\n" +
           choice + "\n";
  }
};

TEST_F(Reached, WhatTheVersionRulesOutIsNotJudged) {
  for (const char* choice :
       {"pick = New if V >= Version('2.6') else Old",
        "def pick():\n    if V >= Version('2.6'):\n        return New\n    return Old",
        "def run(q):\n    if V >= Version('2.6'):\n        return New().run(q)\n    return Old().run(q)",
        "if V >= Version('2.6'):\n    Old = New", "pick = {True: Old}\nif V >= Version('2.6'):\n    pick[True] = New",
        "pick = New if re.match('(?!9)2.[6-9]', flash_attn.__version__) else Old"}) {
    EXPECT_EQ(verdict("2.5.6", source(choice)), "open") << choice;
    EXPECT_EQ(verdict("2.6.3", source(choice)), "clean") << choice;
  }
}

TEST_F(Reached, WhatIsUsedOrMayBeIsJudged) {
  for (const char* choice :
       {"", "pick = New if V < Version('2.6') else Old", "def pick(new):\n    return New if new else Old", "pick = New",
        "class Newer(New): pass", "def run(q, attention: New): return attention.run(q)", "@New\ndef run(q): return q",
        "__all__ = ['New']\npick = New if V >= Version('2.6') else Old",
        "pick = New if V >= Version('2.6') else Old\nNew().run(1)"}) {
    EXPECT_EQ(verdict("2.5.6", source(choice)), "keyword-unknown") << choice;
    EXPECT_EQ(verdict("2.6.3", source(choice)), "clean") << choice;
  }
  const std::string chosen = source("pick = New if V >= Version('2.6') else Old");
  EXPECT_EQ(verdict("2.5.6", Files{{"a.py", chosen}, {"b.py", "from a import New\n"}}), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", Files{{"a.py", chosen}, {"b.py", "from a import pick\n"}}), "open");
}

TEST_F(Reached, FunctionsThatCallEachOtherAreJudged) {
  EXPECT_EQ(verdict("2.5.6",
                    "from flash_attn import flash_attn_func\n"
                    "def one(q):\n    if q: two(q)\n    flash_attn_func(q, q, q, softcap=1.0)\n"
                    "def two(q): one(q)\n"),
            "keyword-unknown");
}

// What guarded callers alone pass, and what the class is made with.
TEST_F(Reached, ArgumentsOfGuardedCallersAreFollowed) {
  const auto source = [](const std::string& parameter, const std::string& condition, const std::string& call) {
    return "import flash_attn\nfrom packaging.version import Version\nfrom flash_attn import flash_attn_func\n"
           "def _attend(q, " +
           parameter + "):\n    more = {'softcap': cap} if " + condition +
           " else {}\n    return flash_attn_func(q, q, q, **more)\ndef run(q):\n"
           "    if Version(flash_attn.__version__) >= Version('2.6.0'):\n        return _attend(q, 1.0)\n"
           "    return _attend(" +
           call + ")\n";
  };
  for (const auto& [parameter, condition] :
       std::vector<std::pair<std::string, std::string>>{{"cap=None", "cap is not None"},
                                                        {"cap=None", "not (cap is None)"},
                                                        {"cap=None", "cap"},
                                                        {"cap=0.0", "cap > 0.0"},
                                                        {"cap=0.0", "cap != 0.0"},
                                                        {"cap=''", "cap"}}) {
    EXPECT_EQ(verdict("2.5.6", source(parameter, condition, "q")), "clean") << condition;
    EXPECT_EQ(verdict("2.6.3", source(parameter, condition, "q")), "clean") << condition;
    EXPECT_EQ(verdict("2.5.6", source(parameter, condition, "q, 2.0")), "keyword-unknown") << condition;
    EXPECT_EQ(verdict("2.5.6", source(parameter, condition, "q, cap=q.cap")), "keyword-unknown") << condition;
  }
  const std::string itself =
      "from flash_attn import flash_attn_func\ndef _attend(q, cap=None):\n"
      "    if cap is None: return _attend(q, 1.0)\n    flash_attn_func(q, q, q, softcap=cap)\n"
      "_attend(1)\n";
  EXPECT_EQ(verdict("2.5.6", itself), "keyword-unknown");
}

TEST_F(Reached, WhatAConstructorRefusesIsNotMade) {
  const auto source = [](const std::string& init, const std::string& condition, const std::string& more = "") {
    return "import flash_attn\nfrom packaging.version import Version\nfrom flash_attn import flash_attn_func\n"
           "NEW = Version(flash_attn.__version__) >= Version('2.6.0')\nclass Attention:\n"
           "    def __init__(self, cap, size):\n" +
           init + "    def forward(self, q):\n        if " + condition +
           ":\n            return flash_attn_func(q, q, q, softcap=self.cap)\n        return flash_attn_func(q, q, "
           "q)\n" +
           more;
  };
  const std::string keeps = "        self.cap = cap\n", sizes = "        if size: self.size = 1\n";
  const std::string refuses = "        if cap is not None and not NEW:\n            raise ImportError('old')\n";
  for (const std::string& init : {keeps + refuses, refuses + keeps, keeps + sizes + refuses + sizes,
                                  refuses + sizes + keeps, keeps + "        assert NEW or cap is None\n"}) {
    for (const char* condition : {"self.cap is not None", "self.cap"}) {
      EXPECT_EQ(verdict("2.5.6", source(init, condition)), "clean") << init << condition;
      EXPECT_EQ(verdict("2.6.3", source(init, condition)), "clean") << init << condition;
    }
    EXPECT_EQ(verdict("2.5.6", source(init, "self.cap is None")), "keyword-unknown") << init;
    EXPECT_EQ(verdict("2.5.6", source(init, "self.cap is not None", "    def set(self, cap): self.cap = cap\n")),
              "keyword-unknown")
        << init;
  }
  EXPECT_EQ(verdict("2.5.6", source(keeps, "self.cap is not None")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source(refuses + "        cap = 1.0\n" + keeps, "self.cap is not None")),
            "keyword-unknown");
  EXPECT_EQ(
      verdict("2.5.6", source(keeps + "        if size:\n    " + refuses.substr(0, refuses.find("            raise")) +
                                  "                raise ImportError('old')\n",
                              "self.cap is not None")),
      "keyword-unknown")
      << "without a size it is made";
}

}  // namespace
}  // namespace ropewalk::compat
