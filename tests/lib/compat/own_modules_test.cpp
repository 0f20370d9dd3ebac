// Names that a caller imports from other modules of its own package.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

const std::string versions =
    "import importlib.metadata\nfrom packaging.version import Version\n"
    "FOUND = Version(importlib.metadata.version('flash-attn'))\n"
    "HAS_SOFTCAP = FOUND >= Version('2.6.0')\nNEVER = FOUND < Version('1.0')\n"
    "def has(wanted):\n    return FOUND >= Version(wanted)\n";

class OwnModulesTest : public CallerSources {
 protected:
  // A package whose p/sub/attend.py imports so and calls with softcap where the condition holds.
  Files package(const std::string& import, const std::string& condition, const Files& more = {}) {
    Files files = {{"p/__init__.py", ""},
                   {"p/versions.py", versions},
                   {"p/sub/__init__.py", ""},
                   {"p/sub/attend.py", "from flash_attn import flash_attn_func\n" + import +
                                           "\ndef attend(q, k, v, cap):\n    if " + condition +
                                           ":\n        return flash_attn_func(q, k, v, softcap=cap)\n"
                                           "    return flash_attn_func(q, k, v)\n"}};
    for (const auto& one : more) {
      std::erase_if(files, [&](const auto& file) { return file.first == one.first; });
      files.push_back(one);
    }
    return files;
  }
};

TEST_F(OwnModulesTest, HaveTheValueThatTheirModuleComputes) {
  for (const auto& [import, condition] : std::vector<std::pair<std::string, std::string>>{
           {"from ..versions import HAS_SOFTCAP", "HAS_SOFTCAP"},
           {"from p.versions import HAS_SOFTCAP as NEW", "NEW"},
           {"from .. import versions", "versions.HAS_SOFTCAP"},
           {"from p import versions as vs", "vs.has('2.6')"},
           {"import p.versions", "p.versions.HAS_SOFTCAP"},
           {"import p.versions as vs", "vs.FOUND >= vs.Version('2.6.0')"},
           {"from ..versions import *", "has('2.6.0')"},
           {"from ..versions import has, FOUND", "has('2.6.0') and FOUND.major == 2"},
           {"try:\n    from ..versions import HAS_SOFTCAP\nexcept ImportError:\n    HAS_SOFTCAP = False",
            "HAS_SOFTCAP"}}) {
    EXPECT_EQ(verdict("2.5.6", package(import, condition)), "clean") << import;
    EXPECT_EQ(verdict("2.6.3", package(import, condition)), "clean") << import;
    // The counterpart that asks the wrong way round is wrong where it is false.
    EXPECT_EQ(verdict("2.5.6", package(import, "not (" + condition + ")")), "keyword-unknown") << import;
    EXPECT_EQ(verdict("2.6.3", package(import, "not (" + condition + ")")), "clean") << import;
  }
}

TEST_F(OwnModulesTest, AreFollowedThroughModulesThatHandThemOn) {
  const Files chain = {
      {"p/__init__.py", "from .flags import *\n"},
      {"p/flags.py", "from .versions import HAS_SOFTCAP, has\n__all__ = ['NEW', 'has']\nNEW = HAS_SOFTCAP\n"}};
  EXPECT_EQ(verdict("2.5.6", package("from p import NEW", "NEW", chain)), "clean");
  EXPECT_EQ(verdict("2.5.6", package("from p import NEW", "not NEW", chain)), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", package("import p", "p.has('2.6')", chain)), "clean");
  EXPECT_EQ(verdict("2.5.6", package("import p", "p.has('2.5')", chain)), "keyword-unknown");
}

TEST_F(OwnModulesTest, ThatImportEachOtherAreUnknown) {
  const Files circle = {{"p/versions.py",
                         "import flash_attn\nfrom .other import OLD\n"
                         "HAS_SOFTCAP = OLD is False and flash_attn.__version__ > '2.1'\n"},
                        {"p/other.py", "from .versions import HAS_SOFTCAP\nOLD = not HAS_SOFTCAP\n"}};
  EXPECT_EQ(verdict("2.5.6", package("from ..versions import HAS_SOFTCAP", "HAS_SOFTCAP", circle)), "open");
  EXPECT_EQ(verdict("2.6.3", package("from ..versions import HAS_SOFTCAP", "HAS_SOFTCAP", circle)), "clean");
}

TEST_F(OwnModulesTest, WithSeveralValuesOrNoneAreUnknown) {
  for (const char* text :
       {"import re, flash_attn\nHAS_SOFTCAP = bool(re.match('(?!9)2.[6-9]', flash_attn.__version__))\n",
        "def __getattr__(name):\n    return compute(name)\n",
        "import flash_attn\nHAS_SOFTCAP = None\ndef probe():\n    global HAS_SOFTCAP\n"
        "    HAS_SOFTCAP = flash_attn.__version__ > '2.6'\n",
        "import os, flash_attn\nif os.environ.get('NEW'):\n    HAS_SOFTCAP = True\nelse:\n"
        "    HAS_SOFTCAP = flash_attn.__version__ > '2.6'\n"}) {
    const Files unknown = {{"p/versions.py", text}};
    EXPECT_EQ(verdict("2.5.6", package("from ..versions import HAS_SOFTCAP", "HAS_SOFTCAP", unknown)), "open") << text;
    EXPECT_EQ(verdict("2.6.3", package("from ..versions import HAS_SOFTCAP", "HAS_SOFTCAP", unknown)), "clean") << text;
  }
}

TEST_F(OwnModulesTest, AttributesOfTheirObjectsThatAreMadeOfTheVersionLeaveOpenWhatTheyGuard) {
  const Files objects = {
      {"p/versions.py", versions + "class Platform:\n    NEW = HAS_SOFTCAP\n    size = 8\n"
                                   "    def has_cap(self):\n        return HAS_SOFTCAP\ncurrent = Platform()\n"},
      {"p/__init__.py", "from .versions import current\n"}};
  for (const char* condition :
       {"current.NEW", "current.has_cap()", "versions.current.NEW", "p.versions.current.has_cap()", "here.NEW"}) {
    const std::string import =
        "from ..versions import current\nfrom .. import versions\nimport p\nfrom p import current as here";
    EXPECT_EQ(verdict("2.5.6", package(import, condition, objects)), "open") << condition;
    EXPECT_EQ(verdict("2.6.3", package(import, condition, objects)), "clean") << condition;
  }
  EXPECT_EQ(verdict("2.5.6", package("from ..versions import current", "current.size", objects)), "keyword-unknown");
}

TEST_F(OwnModulesTest, AParameterOfTheSameNameIsNotTheImport) {
  Files files = package("from ..versions import NEVER", "True");
  files.back().second =
      "from flash_attn import flash_attn_func\nfrom ..versions import NEVER\n"
      "def attend(q, NEVER):\n    if NEVER:\n        return flash_attn_func(q, q, q, softcap=1.0)\n";
  EXPECT_EQ(verdict("2.5.6", files), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", package("from ..versions import NEVER", "NEVER")), "clean");
}

TEST_F(OwnModulesTest, FunctionsOfTheProviderAreHandedOn) {
  const auto files = [](const char* keyword) {
    return Files{{"p/__init__.py", ""},
                 {"p/ops.py",
                  "try:\n    from flash_attn import flash_attn_func, flash_attn_varlen_func as varlen\n"
                  "except ImportError:\n    flash_attn_func = varlen = None\n"},
                 {"p/attend.py", std::string("from .ops import flash_attn_func\nfrom . import ops\n"
                                             "def attend(q, k, v, c):\n    flash_attn_func(q, k, v, ") +
                                     keyword + "=1)\n    return ops.varlen(q, k, v, c, c, 8, 8)\n"}};
  };
  EXPECT_EQ(verdict("2.5.6", files("softcap")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", files("softcap")), "clean");
  EXPECT_EQ(verdict("2.5.6", files("dropout_p")), "clean");
}

TEST_F(OwnModulesTest, OfTwoModulesOfOneNameTheNeighbourIsMeant) {
  const std::string attend =
      "from flash_attn import flash_attn_func\nfrom flags import NEW\n"
      "def attend(q):\n    if NEW: return flash_attn_func(q, q, q, softcap=1.0)\n";
  EXPECT_EQ(
      verdict("2.5.6",
              Files{{"one/flags.py", "NEW = False\n"}, {"two/flags.py", "NEW = True\n"}, {"one/attend.py", attend}}),
      "open")
      << "the call is never reached";
  EXPECT_EQ(
      verdict("2.5.6",
              Files{{"one/flags.py", "NEW = False\n"}, {"two/flags.py", "NEW = True\n"}, {"two/attend.py", attend}}),
      "keyword-unknown");
}

TEST_F(OwnModulesTest, OfOneFileAreReadBesideIt) {
  const Files files = package("from ..versions import HAS_SOFTCAP", "HAS_SOFTCAP");
  EXPECT_EQ(word_for(answer("2.5.6", files, "p/sub/attend.py")), "clean");
  const Files wrong = package("from ..versions import HAS_SOFTCAP", "not HAS_SOFTCAP");
  EXPECT_EQ(word_for(answer("2.5.6", wrong, "p/sub/attend.py")), "keyword-unknown");
}

// They may be all that is installed.
TEST_F(OwnModulesTest, OfOneFilePackagesThatKnowNoVersionAreNotRead) {
  const auto word_with = [&](const std::string& package) {
    const Files files{{package + "/__init__.py", "NEVER = False\n"},
                      {"p/__init__.py", ""},
                      {"p/a.py", "from flash_attn import flash_attn_func\nfrom " + package +
                                     " import NEVER\ndef attend(q):\n"
                                     "    if NEVER: return flash_attn_func(q, q, q, softcap=1.0)\n"}};
    return word_for(answer("2.5.6", files, "p/a.py"));
  };
  EXPECT_EQ(word_with("flags"), "open") << "the call is never reached";
  EXPECT_EQ(word_with("numpy"), "keyword-unknown");
}

TEST_F(OwnModulesTest, HandFunctionsOnUnderOtherNames) {
  const auto files = [](const std::string& given, const std::string& name, const std::string& more) {
    return Files{{"p/__init__.py", ""},
                 {"p/backend.py", given},
                 {"p/attend.py",
                  "from .backend import " + name + "\ndef attend(q):\n    return " + name + "(q, q, q" + more + ")\n"}};
  };
  for (const auto& [given, name] : std::vector<std::pair<std::string, std::string>>{
           {"from flash_attn import flash_attn_func as _fa\n", "_fa"},
           {"from flash_attn import flash_attn_func\nattention = flash_attn_func\n", "attention"}}) {
    EXPECT_EQ(verdict("2.5.6", files(given, name, ", softcap=1.0")), "keyword-unknown") << given;
    EXPECT_EQ(verdict("2.6.3", files(given, name, ", softcap=1.0")), "clean") << given;
    EXPECT_EQ(verdict("2.5.6", files(given, name, "")), "clean") << given;
  }
}

TEST_F(OwnModulesTest, CallsOfModulesThatTheTableDoesNotHaveAreNoted) {
  const auto notes = [&](const std::string& import) {
    return answer("2.7.3", {{"a.py", "from flash_attn import flash_attn_func\n" + import +
                                         "\ndef attend(q):\n    return flash_attn_func(q, q, q)\n"}})
        .notes;
  };
  EXPECT_EQ(notes("from flash_attn.bert_padding import unpad_input, pad_input"),
            std::vector<std::string>{
                "calls of flash_attn.bert_padding (pad_input, unpad_input) are not judged: the shipped table does not "
                "have this module; give the path of the sources of flash-attn"});
  EXPECT_EQ(notes("import flash_attn.layers.rotary").size(), 1u);
  EXPECT_EQ(notes("import flash_attn"), std::vector<std::string>{});
}

TEST_F(OwnModulesTest, ASubmoduleThatItsPackageImportsFromItselfIsThatModule) {
  for (const char* import : {"from . import versions\n", "from p import versions\n", "from .versions import has\n"}) {
    const Files again = {{"p/__init__.py", import}};
    EXPECT_EQ(verdict("2.5.6", package("from p import versions", "versions.HAS_SOFTCAP", again)), "clean") << import;
    EXPECT_EQ(verdict("2.5.6", package("from p import versions", "not versions.HAS_SOFTCAP", again)), "keyword-unknown")
        << import;
    EXPECT_EQ(verdict("2.5.6", package("from p import versions", "q in versions.KNOWN or versions", again)),
              "keyword-unknown");
  }
  // Two modules that import a name from each other, which neither makes.
  const Files circle = {{"p/versions.py", "from .other import NEW\n"}, {"p/other.py", "from .versions import NEW\n"}};
  EXPECT_EQ(verdict("2.6.3", package("from ..versions import NEW", "NEW", circle)), "clean") << "the search ends";
}

}  // namespace
}  // namespace ropewalk::compat
