#include <gtest/gtest.h>

#include "lib/compat/conditions.h"

namespace ropewalk::compat {
namespace {

class VersionTests : public ::testing::Test {
 protected:
  // "true", "false" or "open".
  std::string truth(const std::string& condition) {
    const PythonFile module = read_python("a.py", before), file = read_python("a.py", "if " + condition + ": pass\n");
    const OwnModules modules({}, provider);
    PythonState now = state;
    for (const auto& [name, value] : *modules.values_of(module)) now.set(name, value);
    const auto known = Conditions(module, modules, remarks).truth_of(file.statements.back().one("test"), now);
    return !known ? "open" : *known ? "true" : "false";
  }
  void take(const std::string& condition, bool truth) {
    const PythonFile file = read_python("a.py", "if " + condition + ": pass\n");
    const OwnModules modules({}, provider);
    Conditions(file, modules, remarks).assume(file.statements[0].one("test"), truth, state);
  }
  std::string before;  // the module's lines above the condition
  PythonState state;
  VersionRemarks remarks;
  ProviderView provider{"flash-attn", parse_version("2.6.3"), {}};
};

TEST_F(VersionTests, VersionsAreCompared) {
  EXPECT_EQ(truth("PkgVersion(get_pkg_version('flash-attn')) >= PkgVersion('2.6.0')"), "true");
  EXPECT_EQ(truth("version.parse(flash_attn.__version__) < version.parse('2.6.3')"), "false");
  EXPECT_EQ(truth("Version('2.1') <= Version(version('flash_attn')) <= Version('2.6.3')"), "true");
  EXPECT_EQ(truth("Version(version('other')) >= Version('1')"), "open");
}

// As CPython's own comparisons have it for the versions that the expressions give.
TEST_F(VersionTests, TextsAreComparedAsTexts) {
  EXPECT_EQ(truth("flash_attn.__version__ < '2.6.3'"), "false");
  EXPECT_EQ(truth("flash_attn.__version__ >= '2.6.3'"), "true");
  EXPECT_EQ(truth("flash_attn.__version__ == '2.6.3'"), "true");
  EXPECT_EQ(truth("importlib.metadata.version('flash-attn') > '2.5'"), "true");
  EXPECT_EQ(truth("get_distribution('flash_attn').version != '2.6.3'"), "false");
  EXPECT_TRUE(remarks.texts.empty());
  EXPECT_EQ(truth("flash_attn.__version__ < '2.10.0'"), "false") << "'6' comes after '1'";
  EXPECT_EQ(remarks.texts, std::set<std::string>{
                               "a.py:1: flash_attn.__version__ and '2.10.0' are compared as texts, letter by letter, "
                               "which is false; as versions it would be true"});
  EXPECT_EQ(truth("Version(flash_attn.__version__) < '2.10.0'"), "open") << "a TypeError";
}

TEST_F(VersionTests, VersionsAreTakenApart) {
  EXPECT_EQ(truth("tuple(map(int, flash_attn.__version__.split('.')[:2])) >= (2, 6)"), "true");
  EXPECT_EQ(truth("tuple(int(x) for x in flash_attn.__version__.split('.')) < (2, 6, 3)"), "false");
  EXPECT_EQ(truth("[int(x) for x in flash_attn.__version__.split('.') if x.isdigit()] > [2, 6]"), "true");
  EXPECT_EQ(truth("int(flash_attn.__version__.split('.')[0]) == 2"), "true");
  EXPECT_EQ(truth("flash_attn.__version__.startswith('2.')"), "true");
  EXPECT_EQ(truth("flash_attn.__version__.startswith(('1.', '3.'))"), "false");
  EXPECT_EQ(truth("flash_attn.__version__[0] == '2'"), "true");
  EXPECT_EQ(truth("Version(flash_attn.__version__).release >= (2, 6, 3)"), "true");
  EXPECT_EQ(truth("parse_version(version('flash-attn')).minor >= 7"), "false");
  EXPECT_EQ(truth("flash_attn.__version__ in ('2.6.2', '2.6.3')"), "true");
  provider.version = parse_version("2.7.4.post1");
  EXPECT_EQ(truth("Version(flash_attn.__version__) > Version('2.7.4')"), "true");
  EXPECT_EQ(truth("Version(flash_attn.__version__).base_version == '2.7.4'"), "true");
  EXPECT_EQ(truth("flash_attn.__version__.split('.')[3] == 'post1'"), "true");
  EXPECT_EQ(truth("tuple(int(x) for x in flash_attn.__version__.split('.')) < (2, 6, 3)"), "open") << "int('post1')";
}

TEST_F(VersionTests, FunctionsOfTheFileAreFollowed) {
  before =
      "from importlib.metadata import version as installed\n"
      "MINIMUM = '2.1.0'\n"
      "@lru_cache\n"
      "def at_least(wanted: str, package='flash_attn'):\n"
      "    \"\"\"Whether it is there and new enough.\"\"\"\n"
      "    if not _is_package_available('flash_attn'):\n"
      "        return False\n"
      "    found = installed('flash-attn')\n"
      "    return parse(found) >= parse(wanted)\n"
      "def has(name):\n"
      "    return at_least('2.7') if name == 'softcap' else at_least(name)\n"
      "def unknown(x):\n"
      "    for y in x: return True\n";
  EXPECT_EQ(truth("at_least('2.6.3')"), "true");
  EXPECT_EQ(truth("at_least(wanted='2.6.4')"), "false");
  EXPECT_EQ(truth("not at_least('2.7') and has('2.5')"), "true");
  EXPECT_EQ(truth("has('softcap')"), "false");
  EXPECT_EQ(truth("unknown('2.5')"), "open");
  EXPECT_EQ(truth("installed('flash-attn') == '2.6.3'"), "true");
  EXPECT_EQ(truth("importlib.util.find_spec('flash_attn') is not None"), "true");
  EXPECT_EQ(truth("importlib.util.find_spec('xformers') is None"), "open");
}

TEST_F(VersionTests, FlagsAreTakenAtTheirName) {
  EXPECT_EQ(truth("_flash_attn_2_6_0_plus"), "true");
  EXPECT_EQ(truth("fa_utils.v2_7_0_plus"), "false");
  EXPECT_EQ(truth("_flash_attn_2_3_plus and not _flash_attn_2_7_0_plus"), "true");
  EXPECT_EQ(truth("use_it or _flash_attn_2_7_0_plus"), "open");
}

TEST_F(VersionTests, SetsPatternsAndMetadataAreComputed) {
  before =
      "import re\nfrom packaging.specifiers import SpecifierSet\nimport importlib.metadata as im\n"
      "V = flash_attn.__version__\nNUMBERS = re.compile(r'(\\d+)\\.(?P<minor>\\d+)')\nm = NUMBERS.match(V)\n";
  EXPECT_EQ(truth("Version(V) in SpecifierSet('>=2.0,<2.4')"), "false");
  EXPECT_EQ(truth("V in SpecifierSet('>=2.6,<3')"), "true");
  EXPECT_EQ(truth("V not in SpecifierSet('~=2.5.0')"), "true");
  EXPECT_EQ(truth("SpecifierSet('==2.6.*').contains(V)"), "true");
  EXPECT_EQ(truth("SpecifierSet('>=2').contains(V, prereleases=allowed)"), "open");
  EXPECT_EQ(truth("tuple(int(x) for x in re.match(r'(\\d+)\\.(\\d+)', V).groups()) >= (2, 6)"), "true");
  EXPECT_EQ(truth("int(m.group('minor')) >= 7"), "false");
  EXPECT_EQ(truth("int(m[2]) == 6"), "true");
  EXPECT_EQ(truth("re.search(r'dev', V) is None"), "true");
  EXPECT_EQ(truth("[int(x) for x in re.findall(r'\\d+', V)] < [2, 6, 3]"), "false");
  EXPECT_EQ(truth("re.match(pattern, V)"), "open");
  EXPECT_EQ(truth("Version(im.metadata('flash_attn')['Version']) >= Version('2.6')"), "true");
  EXPECT_EQ(truth("im.distribution('flash-attn').metadata['Version'] == '2.6.3'"), "true");
  EXPECT_EQ(truth("Version(im.metadata('other')['Version']) >= Version('2.6')"), "open");
  EXPECT_EQ(truth("Version(V).is_devrelease or Version(V).is_prerelease"), "false");
}

TEST_F(VersionTests, WhatIsDecidedOnceStaysDecided) {
  EXPECT_EQ(truth("causal"), "open");
  take("causal and not fused", true);
  EXPECT_EQ(truth("causal"), "true");
  EXPECT_EQ(truth("fused or late"), "open");
  take("fused or late", true);
  EXPECT_EQ(truth("late"), "true");
}

TEST_F(VersionTests, TextsExcludeEachOther) {
  take("layout == 'thd'", true);
  EXPECT_EQ(truth("layout in ['bshd', 'sbhd']"), "false");
  EXPECT_EQ(truth("layout != 'thd'"), "false");
  take("mode in ('a', 'b')", true);
  EXPECT_EQ(truth("mode == 'c'"), "false");
  EXPECT_EQ(truth("mode == 'a'"), "open");
  take("mode == 'a'", false);
}

TEST_F(VersionTests, AnAssignmentForgetsWhatWasDecided) {
  take("layout == 'thd'", true);
  state.set("layout", {});
  EXPECT_EQ(truth("layout == 'thd'"), "open");
}

}  // namespace
}  // namespace ropewalk::compat
