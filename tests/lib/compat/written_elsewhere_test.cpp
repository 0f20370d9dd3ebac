// Flags that a source gives a value in another place than the first one: what they are then is computed, or nothing is
// claimed.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class WrittenElsewhere : public CallerSources {
 protected:
  static constexpr const char* head =
      "import flash_attn\nfrom flash_attn import flash_attn_func\nfrom packaging.version import Version\n"
      "V = Version(flash_attn.__version__)\n";
  // A function that passes softcap where the condition holds.
  static std::string guarded(const std::string& condition) {
    return "def attend(q, k, v):\n    if " + condition +
           ":\n        return flash_attn_func(q, k, v, softcap=1.0)\n    return flash_attn_func(q, k, v)\n";
  }
  static std::string source(const std::string& statements, const std::string& condition) {
    return head + statements + "\n" + guarded(condition);
  }
  // A package p whose a.py and probe.py stand beside p/flags.py.
  static Files package(const std::string& flags, const std::string& statements, const std::string& condition,
                       const std::string& probe = "") {
    return {{"p/__init__.py", ""},
            {"p/flags.py", flags},
            {"p/probe.py", head + probe},
            {"p/a.py", source(statements, condition)}};
  }
};

TEST_F(WrittenElsewhere, AsAGlobalByItsName) {
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"globals().update(NEW=", ")"},
           {"globals().update({'NEW': ", "})"},
           {"import sys\nsetattr(sys.modules[__name__], 'NEW', ", ")"},
           {"import sys\nsys.modules[__name__].NEW = ", ""},
           {"import re\nglobals()['NEW'] = 0 if re.match('x', V.text) else ", ""}}) {
    const auto gives = [&](const char* wanted) {
      return source("NEW = False\n" + before + "V >= Version('" + wanted + "')" + after, "NEW");
    };
    const bool is_open = before.find("re.match") != std::string::npos;
    EXPECT_EQ(verdict("2.5.6", gives("2.4")), is_open ? "open" : "keyword-unknown") << before;
    EXPECT_EQ(verdict("2.5.6", gives("2.6")), is_open ? "open" : "clean") << before;
    EXPECT_EQ(verdict("2.6.3", gives("2.4")), "clean") << before;
  }
  const std::string first = "NEW = False\nglobals()['NEW'] = V >= Version(";
  EXPECT_EQ(verdict("2.5.6", source(first + "'2.4')", "NEW")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source(first + "'2.6')", "NEW")), "clean");
  EXPECT_EQ(verdict("2.6.3", source(first + "'2.4')", "NEW")), "clean");
  const std::string later = "NEW = False\ndef find():\n    globals()['NEW'] = V >= Version(";
  EXPECT_EQ(verdict("2.5.6", source(later + "'2.4')", "NEW")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source(later + "'2.6')", "NEW")), "clean");
}

TEST_F(WrittenElsewhere, ByAFunctionInside) {
  const auto nested = [](const std::string& wanted) {
    return std::string(head) +
           "def make():\n    new = False\n    def find():\n        nonlocal new\n        new = V >= " + "Version('" +
           wanted + "')\n    find()\n    def attend(q):\n        if new:\n" +
           "            return flash_attn_func(q, q, q, softcap=1.0)\n        return flash_attn_func(q, q, q)\n" +
           "    return attend\nRUN = make()\n";
  };
  EXPECT_EQ(verdict("2.5.6", nested("2.4")), "open");
  EXPECT_EQ(verdict("2.5.6", nested("2.6")), "open");
  EXPECT_EQ(verdict("2.6.3", nested("2.4")), "clean");
}

TEST_F(WrittenElsewhere, ANameIsTakenAtItsWordWhereNothingElseIsSaid) {
  EXPECT_EQ(verdict("2.5.6", source("from utils import v2_6_plus", "v2_6_plus")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("from utils import v2_6_plus", "not v2_6_plus")), "keyword-unknown");
  const auto flags = [](const std::string& wanted) {
    return std::string(head) + "class Found:\n    v2_6_plus = False\n    @staticmethod\n    def look():\n" +
           "        Found.v2_6_plus = V >= Version('" + wanted + "')\nFound.look()\n";
  };
  const std::string import = "from .flags import Found as found";
  EXPECT_EQ(verdict("2.5.6", package(flags("2.4"), import, "found.v2_6_plus")), "open");
  EXPECT_EQ(verdict("2.5.6", package(flags("2.6"), import, "found.v2_6_plus")), "clean");
  EXPECT_EQ(verdict("2.5.6", package(flags("2.6.0"), import, "not found.v2_6_plus")), "keyword-unknown");
}

TEST_F(WrittenElsewhere, ByAnotherModule) {
  const std::string sets = "flags.NEW = V >= Version('2.4')", fills = "CAPS['cap'] = V >= Version('2.4')";
  const std::string module = "from . import flags", name = "from .flags import CAPS";
  for (const Files& files : {package("NEW = False\n", module + "\n" + sets, "flags.NEW"),
                             package("NEW = False\n", module, "flags.NEW", module + "\n" + sets + "\n"),
                             package("CAPS = {'cap': False}\n", name + "\n" + fills, "CAPS['cap']"),
                             package("CAPS = {'cap': False}\n", name, "CAPS['cap']", name + "\n" + fills + "\n"),
                             package("CAPS = {'cap': False}\n", module + "\nflags." + fills, "flags.CAPS['cap']")}) {
    EXPECT_EQ(verdict("2.5.6", files), "open") << files[3].second;
    EXPECT_EQ(verdict("2.6.3", files), "clean") << files[3].second;
  }
  // What nobody else writes is what its module says.
  const std::string reads =
      module + "\nOTHER = flags.NEW == False\nclass Own:\n    def __init__(self):\n        self.NEW = 1";
  EXPECT_EQ(verdict("2.5.6", package("NEW = False\n", reads, "flags.NEW")), "clean");
  EXPECT_EQ(verdict("2.5.6", package("NEW = True\n", reads, "flags.NEW")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", package("CAPS = {'cap': False}\n", name + "\nX = CAPS['cap'] == 1", "CAPS['cap']")),
            "clean");
}

TEST_F(WrittenElsewhere, MethodsOfOtherClassesStandForTheOwn) {
  const auto classes = [](const std::string& below, const std::string& after = "") {
    return std::string(head) + "class Base:\n    def options(self):\n        return {'causal': True}\n" +
           "    def run(self, q):\n        return flash_attn_func(q, q, q, **self.options())\n" + below + after;
  };
  const auto adds = [](const std::string& test, const std::string& base) {
    return "class " + base + "Cap(" + base +
           "):\n    def options(self):\n        found = super().options()\n        if " + test +
           ":\n            found['softcap'] = 1.0\n        return found\n";
  };
  const std::string wrong = "V >= Version('2.4')", right = "V >= Version('2.6')";
  EXPECT_EQ(verdict("2.5.6", classes("")), "clean");
  EXPECT_EQ(verdict("2.5.6", classes(adds(wrong, "Base"))), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", classes(adds(right, "Base"))), "clean");
  EXPECT_EQ(verdict("2.6.3", classes(adds(wrong, "Base"))), "clean");
  EXPECT_EQ(verdict("2.5.6", classes("class Mid(Base):\n    pass\n", adds(wrong, "Mid"))), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", classes("class Other:\n    pass\n", adds(wrong, "Other"))), "clean") << "of another line";
  EXPECT_EQ(verdict("2.5.6", classes("", "Base.options = lambda self: {'softcap': 1.0}\n")), "open");
}

// A monkey patch: the base is what had the name before.
TEST_F(WrittenElsewhere, AClassMayHaveTheNameOfItsBase) {
  const auto patched = [](const std::string& first, const std::string& item) {
    return std::string(head) + first +
           "class Base(Base):\n    def options(self):\n        return {**super().options(), '" + item +
           "': 1}\n    def run(self, q):\n        return flash_attn_func(q, q, q, **self.options())\n";
  };
  const std::string own = "class Base:\n    def options(self):\n        return {}\n";
  EXPECT_EQ(verdict("2.5.6", patched(own, "causal")), "clean");
  EXPECT_EQ(verdict("2.5.6", patched(own, "softcap")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", patched("from other import Base\n", "causal")), "open");
  EXPECT_EQ(verdict("2.5.6", source("class A(B): pass\nclass B(A): pass\nclass A(B): NEW = 1", "A.NEW")),
            "keyword-unknown");
}

}  // namespace
}  // namespace ropewalk::compat
