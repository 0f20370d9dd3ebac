// Version tests however they are written: computed, or nothing is claimed of what they guard.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class OpenTests : public CallerSources {
 protected:
  // The statements give NEW a value, and the function passes softcap where it is true, or else where it is false.
  static std::string source(const std::string& statements, bool right = true) {
    return "import functools, importlib, inspect, operator, os, re\nimport importlib.metadata as md\nimport torch\n"
           "import flash_attn\nfrom flash_attn import flash_attn_func\nfrom flash_attn import __version__ as "
           "fa_version\n"
           "from packaging import version\nfrom packaging.specifiers import SpecifierSet\n"
           "from packaging.version import Version, parse\nV = flash_attn.__version__\n" +
           statements + "\ndef attend(q, k, v, cap, flag=None):\n    more = {}\n    if " + (right ? "NEW" : "not NEW") +
           ":\n        more['softcap'] = cap\n    return flash_attn_func(q, k, v, **more)\n";
  }
};

TEST_F(OpenTests, AreComputedWhereTheyCanBe) {
  for (const char* statements :
       {"NEW = tuple(map(int, V.rsplit('.', 1)[0].split('.'))) >= (2, 6)",
        "NEW = tuple(int(x) for x in V.split('.', 2)[:2]) >= (2, 6)",
        "NEW = operator.ge(parse(V), parse('2.6.0'))",
        "from operator import lt as older\nNEW = not older(Version(V), Version('2.6'))",
        "NEW = 'softcap' in flash_attn_func.__code__.co_varnames",
        "c = flash_attn_func.__code__\nNEW = 'softcap' in flash_attn_func.__code__.co_varnames[:"
        "flash_attn_func.__code__.co_argcount]",
        "sig = inspect.signature(flash_attn_func)\nNEW = 'softcap' in sig.parameters",
        "NEW = 'softcap' in inspect.getfullargspec(flash_attn_func).args",
        "NEW = 'softcap' in set(inspect.signature(flash_attn.flash_attn_func).parameters)",
        "NEW = float('.'.join(V.split('.')[:2])) >= 2.6",
        "major, _, rest = V.partition('.')\nNEW = (int(major), int(rest.rpartition('.')[0])) >= (2, 6)",
        "NEW = int(V.replace('.', '')) >= 260",
        "NEW = Version(getattr(flash_attn, '__version__', '0')) >= Version('2.6')",
        "try:\n    found = version.parse(md.version('flash-attn'))\nexcept md.PackageNotFoundError:\n    found = None\n"
        "NEW = found is not None and found >= version.parse('2.6.0.post1') or found == version.parse('2.6.3')",
        "@functools.lru_cache(maxsize=None)\ndef at_least(wanted):\n    return parse(fa_version) >= parse(wanted)\n"
        "NEW = at_least('2.6.0')",
        "MINIMUM = Version('2.6')\ndef fits():\n    return Version(V) >= MINIMUM\nNEW = fits()",
        "if (found := Version(V)) and found.release[:2] >= (2, 6):\n    NEW = True\nelse:\n    NEW = False",
        "NEW = V.removeprefix('2.').startswith('6')",
        "PACKAGE = 'flash-attn'\nNEW = Version(md.version(PACKAGE)) >= Version('2.6')",
        "table = {'2.5.6': False}\nNEW = table.get(V, True)"}) {
    EXPECT_EQ(verdict("2.5.6", source(statements)), "clean") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements)), "clean") << statements;
    EXPECT_EQ(verdict("2.5.6", source(statements, false)), "keyword-unknown") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements, false)), "clean") << statements;
  }
}

TEST_F(OpenTests, ThatCannotBeComputedLeaveOpenWhatTheyGuard) {
  for (const char* statements :
       {"NEW = Version(V) in SpecifierSet('===2.6.3')", "NEW = SpecifierSet('>=2.6.0').contains(V, prereleases=True)",
        "NEW = operator.attrgetter('release')(parse(V)) >= (2, 6)", "NEW = bool(re.match(r'(?!9)2\\.[6-9]', V))",
        "found = tuple(map(int, re.findall(r'(?!x)[0-9]+', V)))\nNEW = found >= (2, 6)",
        "NEW = 'softcap' in flash_attn_func.__annotations__", "NEW = 'softcap' in (flash_attn_func.__doc__ or '')",
        "NEW = 'softcap' in inspect.getsource(flash_attn_func)",
        "import importlib_metadata as later\nfound = {d.name: d.version for d in later.distributions()}\n"
        "NEW = parse(found['flash-attn']) >= parse('2.6')",
        "NEW = parse(next(d.version for d in md.distributions() if d.name == 'flash-attn')) >= parse('2.6')",
        "import pkg_resources\nNEW = pkg_resources.working_set.by_key['flash-attn'].version >= '2.6'",
        "import json, subprocess\n"
        "found = {p['name']: p['version'] for p in json.loads(subprocess.check_output(['pip', 'list']))}\n"
        "NEW = found['flash-attn'] >= '2.6'",
        "NEW = importlib.import_module('flash_attn').__about__.version >= '2.6'",
        "from somewhere.utils import is_flash_attn_greater_or_equal\nNEW = is_flash_attn_greater_or_equal('2.6.0')",
        "from somewhere import flags\nNEW = flags.SOFTCAP", "from somewhere.flags import *\nNEW = SOFTCAP",
        "def newer(wanted):\n    while True:\n        return parse(V) >= parse(wanted)\nNEW = newer('2.6')"}) {
    EXPECT_EQ(verdict("2.5.6", source(statements)), "open") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements)), "clean") << statements;
  }
}

// What a program is given, or the machine, decides on the way; the call is wrong on this way all the same.
TEST_F(OpenTests, ConditionsOnDataAreNone) {
  for (const char* statements :
       {"NEW = os.environ.get('SOFTCAP') == '1'", "NEW = torch.cuda.is_available()", "NEW = torch.is_grad_enabled()",
        "class Config:\n    softcap = 1\nconfig = Config()\nNEW = config.softcap",
        "NEW = bool(int(os.getenv('X', '0')))"}) {
    EXPECT_EQ(verdict("2.5.6", source(statements)), "keyword-unknown") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements)), "clean") << statements;
  }
}

TEST_F(OpenTests, OfMatchesAndOfCallsInExpressions) {
  const std::string head =
      "from flash_attn import flash_attn_func\nimport flash_attn\nNEW = flash_attn.__version__ >= '2.6'\n";
  const std::string matched = head +
                              "def attend(q, mode):\n    match mode:\n        case 'cap' if NEW:\n"
                              "            return flash_attn_func(q, q, q, softcap=1.0)\n        case _:\n"
                              "            return flash_attn_func(q, q, q)\n";
  const std::string either = head + "def attend(q):\n    return NEW and flash_attn_func(q, q, q, softcap=1.0)\n";
  const std::string neither = head + "def attend(q):\n    return NEW or flash_attn_func(q, q, q, softcap=1.0)\n";
  EXPECT_EQ(verdict("2.5.6", matched), "clean");
  EXPECT_EQ(verdict("2.6.3", matched), "clean");
  EXPECT_EQ(verdict("2.5.6", either), "open") << "no call is made";
  EXPECT_EQ(verdict("2.6.3", either), "clean");
  EXPECT_EQ(verdict("2.5.6", neither), "keyword-unknown");
}

TEST_F(OpenTests, KeywordsAreFilteredByTheSignature) {
  const auto source = [](const char* condition) {
    return std::string(
               "import inspect\nfrom flash_attn import flash_attn_func\n"
               "known = inspect.signature(flash_attn_func).parameters\n"
               "def attend(q, cap):\n    more = {'causal': True, 'softcap': cap}\n"
               "    more = {name: value for name, value in more.items() if ") +
           condition + "}\n    return flash_attn_func(q, q, q, **more)\n";
  };
  EXPECT_EQ(verdict("2.5.6", source("name in known")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("name != 'causal'")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", source("name in known")), "clean");
}

// A test that has come out so far as to leave the way to data alone.
TEST_F(OpenTests, OfWhichOnlyDataIsLeftAreNone) {
  for (const char* test : {"cap or V >= '2.6'", "V >= '2.6' or cap", "not (V < '2.6' and not cap)",
                           "flag or (cap and (V >= '2.6' or q))"}) {
    const std::string text = source(std::string("def unused(): pass")) + "def more(q, cap, flag):\n    if " + test +
                             ":\n        return flash_attn_func(q, q, q, softcap=cap)\n";
    const std::string right = text.substr(0, text.find("def attend")) + text.substr(text.find("def more"));
    EXPECT_EQ(verdict("2.5.6", right), "keyword-unknown") << test;
    EXPECT_EQ(verdict("2.6.3", right), "clean") << test;
  }
  for (const char* test :
       {"cap or re.match('(?!9)2', V)", "V >= '2.6' or re.match('(?!9)2', V)", "cap and V >= '2.6'"}) {
    const std::string text =
        "import flash_attn, re\nfrom flash_attn import flash_attn_func\nV = "
        "flash_attn.__version__\ndef more(q, cap):\n    if " +
        std::string(test) +
        ":\n        return flash_attn_func(q, q, q, softcap=cap)\n"
        "    return flash_attn_func(q, q, q)\n";
    EXPECT_EQ(verdict("2.5.6", text), std::string(test).find("re.") == std::string::npos ? "clean" : "open") << test;
    EXPECT_EQ(verdict("2.6.3", text), "clean") << test;
  }
}

TEST_F(OpenTests, OfTransformersAreComputed) {
  const std::string import =
      "from transformers.utils import is_flash_attn_greater_or_equal, is_flash_attn_2_available\n";
  for (const std::string& statements :
       {import + "NEW = is_flash_attn_greater_or_equal('2.6.0')",
        import + "NEW = is_flash_attn_2_available() and is_flash_attn_greater_or_equal('2.6.0')",
        std::string("import transformers\nNEW = transformers.utils.is_flash_attn_greater_or_equal('2.6.0')"),
        std::string("from transformers.utils import is_flash_attn_greater_or_equal as newer\nNEW = newer('2.6')")}) {
    EXPECT_EQ(verdict("2.5.6", source(statements)), "clean") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements)), "clean") << statements;
    EXPECT_EQ(verdict("2.5.6", source(statements, false)), "keyword-unknown") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements, false)), "clean") << statements;
  }
  EXPECT_EQ(verdict("2.5.6", source(import + "NEW = is_flash_attn_greater_or_equal('2.4.1')")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source(import + "NEW = is_flash_attn_2_available()")), "keyword-unknown");
}

}  // namespace
}  // namespace ropewalk::compat
