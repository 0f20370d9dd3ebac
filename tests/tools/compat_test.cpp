// attn-fuzz compat over sources, as a whole program.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/tools/program.h"

namespace ropewalk::testing {
namespace {

namespace fs = std::filesystem;

// A folder with these files; its path.
std::string folder_of(const std::string& name, const std::vector<std::pair<std::string, std::string>>& files) {
  const fs::path folder = scratch(name);
  for (const auto& [path, text] : files) {
    fs::create_directories((folder / path).parent_path());
    std::ofstream(folder / path) << text;
  }
  return folder.string();
}

ProgramResult compat(const std::string& version, const std::string& caller) {
  return attn_fuzz("compat --provider flash-attn==" + version + " --caller " + caller);
}

TEST(Compat, PublicFunctionsAreKnown) {
  const std::string caller =
      folder_of("public.py", {{"a.py",
                               "from flash_attn import flash_attn_func, flash_attn_with_kvcache\n"
                               "def attend(q, k, v):\n"
                               "    return flash_attn_func(q, k, v, causal=True, softcap=30.0)\n"
                               "def decode(q, k, v): return flash_attn_with_kvcache(q, k, v)\n"}});
  EXPECT_EQ(compat("2.6.0", caller).exit_code, 0);
  const ProgramResult older = compat("2.5.8", caller);
  EXPECT_EQ(older.exit_code, 1);
  EXPECT_NE(older.output.find("flash_attn_func of flash-attn 2.5.8 has no parameter softcap"), std::string::npos)
      << older.output;
}

TEST(Compat, FunctionsOfThePackageAreFollowedThroughItsModules) {
  const std::string caller = folder_of(
      "package", {{"p/__init__.py", ""},
                  {"p/utils/__init__.py", "from .versions import is_flash_attn_greater_or_equal\n"},
                  {"p/utils/versions.py",
                   "import importlib.metadata\nfrom packaging import version\n"
                   "def is_flash_attn_greater_or_equal(wanted):\n"
                   "    if not _is_package_available('flash_attn'):\n        return False\n"
                   "    return version.parse(importlib.metadata.version('flash_attn')) >= version.parse(wanted)\n"},
                  {"p/attention.py",
                   "from flash_attn import flash_attn_func\n"
                   "from .utils import is_flash_attn_greater_or_equal\n"
                   "softcap = is_flash_attn_greater_or_equal('2.6.0')\n"
                   "def attend(q, k, v):\n    more = {}\n"
                   "    if softcap: more['softcap'] = 30.0\n"
                   "    if not is_flash_attn_greater_or_equal('2.3'): more['window'] = 1\n"
                   "    return flash_attn_func(q, k, v, **more)\n"}});
  for (const char* version : {"2.8.3", "2.6.0", "2.5.8", "2.3.0"}) EXPECT_EQ(compat(version, caller).exit_code, 0);
  EXPECT_NE(compat("2.2.5", caller).output.find("has no parameter window"), std::string::npos);
}

TEST(Compat, VersionsThatAreComparedAsTextsAreNoted) {
  const std::string caller = folder_of("texts.py", {{"a.py",
                                                     "import flash_attn\nfrom flash_attn import flash_attn_func\n"
                                                     "if flash_attn.__version__ >= '2.10':\n"
                                                     "    def attend(q): return flash_attn_func(q, q, q, later=1)\n"
                                                     "else:\n    def attend(q): return flash_attn_func(q, q, q)\n"}});
  const ProgramResult result = compat("2.6.3", caller);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find("has no parameter later"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a.py:3: flash_attn.__version__ and '2.10' are compared as texts"), std::string::npos);
}

TEST(Compat, WhatIsNoPythonIsOneLine) {
  const std::string caller = folder_of("old.py", {{"a.py", "import flash_attn\nprint 'old'\n"}});
  const ProgramResult result = compat("2.6.3", caller + "/a.py");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("/a.py:2:1: Missing parentheses in call to 'print'"), std::string::npos)
      << result.errors;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
}

TEST(Compat, AFileThatIsAskedForIsPythonWhateverItNames) {
  const std::string caller = folder_of("broken.py", {{"a.py", "def f(:\n"}, {"b.py", "def f(): pass\n"}});
  const ProgramResult broken = compat("2.6.3", caller + "/a.py");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_NE(broken.errors.find("/a.py:1:7: invalid syntax"), std::string::npos) << broken.errors;
  EXPECT_EQ(compat("2.6.3", caller + "/b.py").exit_code, 3);
}

// A file's text, the version, the exit code, and words of the output.
struct Judged {
  const char* source;
  const char* version;
  int exit_code;
  const char* says;
};

void expect_judged(const std::vector<Judged>& all) {
  u64 number = 0;
  for (const Judged& one : all) {
    const std::string caller = folder_of(fmt::format("judged-{}.py", ++number), {{"a.py", one.source}});
    const ProgramResult result = compat(one.version, caller);
    EXPECT_EQ(result.exit_code, one.exit_code) << one.source << one.version << result.output << result.errors;
    EXPECT_NE(result.output.find(one.says), std::string::npos) << one.source << result.output;
  }
}

TEST(Compat, NamesThatTheVersionDoesNotHaveAreFound) {
  const char* const unused =
      "from flash_attn import flash_attn_func, flash_attn_with_kvcache\n"
      "def f(q, k, v): return flash_attn_func(q, k, v)\n";
  const char* const used =
      "import flash_attn\n"
      "def f(q, k, v): return flash_attn.flash_attn_with_kvcache(q, k, v)\n";
  const char* const caught =
      "from flash_attn import flash_attn_func\n"
      "try:\n    from flash_attn import flash_attn_with_kvcache\nexcept ImportError:\n"
      "    flash_attn_with_kvcache = None\n"
      "def f(q, k, v):\n    if flash_attn_with_kvcache is None: return flash_attn_func(q, k, v)\n"
      "    return flash_attn_with_kvcache(q, k, v)\n";
  const char* const old =
      "from flash_attn.flash_attn_interface import flash_attn_unpadded_func, flash_attn_func\n"
      "def f(q, k, v): return flash_attn_func(q, k, v)\n";
  const char* const typing =
      "from typing import TYPE_CHECKING\nfrom flash_attn import flash_attn_func\n"
      "if TYPE_CHECKING:\n    from flash_attn import flash_attn_with_kvcache\n"
      "def f(q, k, v): return flash_attn_func(q, k, v)\n";
  expect_judged({{unused, "2.1.0", 1, "has no flash_attn_with_kvcache, which the caller imports: ImportError"},
                 {unused, "2.2.0", 0, ""},
                 {used, "2.1.0", 1, "has no flash_attn_with_kvcache, which the caller uses: AttributeError"},
                 {used, "2.1.0", 1, "is there since flash-attn 2.2.0"},
                 {used, "2.2.0", 0, ""},
                 {caught, "2.1.0", 0, ""},
                 {caught, "2.2.0", 0, ""},
                 {typing, "2.1.0", 0, ""},
                 {old, "2.6.3", 1, "[name-missing]"}});
}

TEST(Compat, CallsThatAreNotFollowedAreReported) {
  const std::string import = "import flash_attn\nfrom flash_attn import flash_attn_func\n";
  for (const char* rest : {"from functools import partial\nFN = [partial(flash_attn_func, softcap=50.0)]\n"
                           "def f(q): return FN[0](q, q, q), flash_attn_func(q, q, q)\n",
                           "class A:\n    def __init__(self): self.fn = flash_attn.flash_attn_func\n"
                           "    def forward(self, q): return self.fn(q, q, q, softcap=3.0), flash_attn_func(q, q, q)\n",
                           "FN = {'a': flash_attn_func}\n"
                           "def f(q): return FN['a'](q, q, q, softcap=3.0), flash_attn_func(q, q, q)\n",
                           "def attn(*a, **k): return flash_attn_func(*a, **k)\n"
                           "def f(q, options): return attn(q, q, q, **options)\n"}) {
    const std::string source = import + rest;
    expect_judged({{source.c_str(), "2.5.6", 3, "not followed"}});
  }
  const std::string followed = import +
                               "from functools import partial\nattn = partial(flash_attn_func, softcap=50.0)\n"
                               "def f(q): return attn(q, q, q), flash_attn_func(q, q, q)\n";
  expect_judged({{followed.c_str(), "2.5.6", 1, "has no parameter softcap"}, {followed.c_str(), "2.6.3", 0, ""}});
  const std::string passed_on = import +
                                "def attn(*a, **k): return flash_attn_func(*a, **k)\n"
                                "def f(q): return attn(q, q, q, softcap=1.0)\n";
  expect_judged(
      {{passed_on.c_str(), "2.5.6", 1, "has no parameter softcap"}, {passed_on.c_str(), "2.6.3", 3, "not followed"}});
  const char* const joined =
      "from flash_attn import flash_attn_func\n"
      "def f(q):\n    k = {'causal': True} | {'softcap': 1.0}\n    return flash_attn_func(q, q, q, **k)\n";
  expect_judged({{joined, "2.5.6", 1, "has no parameter softcap"}, {joined, "2.6.3", 0, ""}});
}

TEST(Compat, VersionTestsAreComputedOrNothingIsClaimed) {
  const std::string import =
      "import inspect, re\nimport flash_attn\nfrom flash_attn import flash_attn_func\n"
      "from packaging.version import Version\nfrom packaging.specifiers import SpecifierSet\n";
  const std::string uses =
      "def f(q):\n    if NEW: return flash_attn_func(q, q, q, softcap=1.0)\n    return flash_attn_func(q, q, q)\n";
  for (const char* test :
       {"NEW = 'softcap' in inspect.signature(flash_attn_func).parameters\n",
        "NEW = 'softcap' in list(inspect.signature(flash_attn.flash_attn_func).parameters.keys())\n",
        "major, minor, *_ = flash_attn.__version__.split('.')\nNEW = (int(major), int(minor)) >= (2, 6)\n",
        "NEW = flash_attn.__version__.partition('.')[2].startswith('6')\n",
        "NEW = Version(flash_attn.__version__) in SpecifierSet('>=2.6')\n",
        "NEW = re.match('2.[6-9]', flash_attn.__version__) is not None\n",
        "NEW = any(flash_attn.__version__.startswith(x) for x in ('2.6', '2.7'))\n"}) {
    const std::string source = import + test + uses;
    expect_judged({{source.c_str(), "2.5.6", 0, ""}, {source.c_str(), "2.6.3", 0, ""}});
  }
  for (const char* test : {"NEW = Version(flash_attn.__version__) in SpecifierSet('===2.6.3')\n",
                           "NEW = re.match('(?!9)2.[6-9]', flash_attn.__version__) is not None\n"}) {
    const std::string source = import + test + uses;
    expect_judged(
        {{source.c_str(), "2.5.6", 3, "depends on a test that cannot be computed"}, {source.c_str(), "2.6.3", 0, ""}});
  }
}

TEST(Compat, ADefinitionTakesThePlaceOfAnImport) {
  expect_judged(
      {{"from flash_attn import flash_attn_func\ndef flash_attn_func(q, scale): return q\n"
        "def f(q): return flash_attn_func(q, scale=2)\n",
        "2.6.3", 3, ""}});
}

TEST(Compat, AParameterThatCameLaterWasNeverRemoved) {
  expect_judged({{"from flash_attn import flash_attn_func\ndef f(q): return flash_attn_func(q, q, q, softcap=1.0)\n",
                  "2.5.6", 1, "[keyword-unknown]"}});
}

TEST(Compat, AFileThatIsNoPythonHidesNothingOfTheOthers) {
  const std::string caller =
      folder_of("mixed", {{"a.py", "import flash_attn\nprint 'old'\n"},
                          {"b.py", "from flash_attn import flash_attn_func\nflash_attn_func(1, 2, 3, later=4)\n"}});
  const ProgramResult result = compat("2.6.3", caller);
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_NE(result.output.find("has no parameter later"), std::string::npos);
  EXPECT_NE(result.output.find("Missing parentheses"), std::string::npos) << result.output;
}

TEST(Compat, WithoutPythonSourcesAreNotCheckedAndTablesAre) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const ProgramResult sources = compat("2.6.3", "tests/data/compat/caller.py");
  const ProgramResult tables = compat("2.5.6", "tests/data/compat/calls.json");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(sources.exit_code, 3);
  EXPECT_NE(sources.output.find("python3, which reads Python sources, cannot be run"), std::string::npos)
      << sources.output << sources.errors;
  EXPECT_EQ(tables.exit_code, 0);
}

}  // namespace
}  // namespace ropewalk::testing
