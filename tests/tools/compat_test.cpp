// attn-fuzz compat over sources, as a whole program.
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
