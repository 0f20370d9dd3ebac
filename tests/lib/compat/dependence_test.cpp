// What a guard depends on is kept through whatever a source makes of it: computed, or nothing is claimed.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Dependence : public CallerSources {
 protected:
  // The statements, and a function that passes softcap where the condition holds. `AT_LEAST` in either stands for the
  // right comparison with flash-attn 2.6, or for the other one.
  static std::string source(std::string statements, const std::string& condition, bool right = true) {
    return filled(
        "import collections, dataclasses, enum, functools, inspect, operator, types\nimport flash_attn\n"
        "from flash_attn import flash_attn_func\nfrom packaging.version import Version\n"
        "V = Version(flash_attn.__version__)\n" +
            statements + "\ndef attend(q, k, v):\n    if " + condition +
            ":\n        return flash_attn_func(q, k, v, softcap=1.0)\n    return flash_attn_func(q, k, v)\n",
        right);
  }
  static std::string filled(std::string text, bool right) {
    for (const auto& [mark, yes, no] :
         {std::tuple("AT_LEAST", ">=", "<"), std::tuple("BELOW", "<", ">="), std::tuple("NOT ", "", "not ")}) {
      for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
        text.replace(at, std::string(mark).size(), right ? yes : no);
      }
    }
    return text;
  }
  void expect_computed(const std::string& statements, const std::string& condition) {
    EXPECT_EQ(verdict("2.5.6", source(statements, condition)), "clean") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements, condition)), "clean") << statements;
    EXPECT_EQ(verdict("2.5.6", source(statements, condition, false)), "keyword-unknown") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements, condition, false)), "clean") << statements;
  }
  void expect_open(const std::string& statements, const std::string& condition) {
    EXPECT_EQ(verdict("2.5.6", source(statements, condition)), "open") << statements;
    EXPECT_EQ(verdict("2.6.3", source(statements, condition)), "clean") << statements;
  }
};

TEST_F(Dependence, OfMembersOfEnumerations) {
  const std::string one = "class Cap(enum.Enum):\n    OLD = 0\n    NEW = 1\n";
  const std::string flags = "class Cap(enum.Flag):\n    NONE = 0\n    SOFT = 1\n    SLOPES = 2\n";
  const std::string chosen = "CAP = Cap.NEW if V AT_LEAST Version('2.6') else Cap.OLD\n";
  expect_computed(one + chosen, "CAP is Cap.NEW");
  expect_computed(one + chosen, "CAP.value == 1");
  expect_computed(one + chosen, "CAP.name != 'OLD'");
  expect_computed("class Cap(enum.IntEnum):\n    OLD = 0\n    NEW = 1\n" + chosen, "CAP > 0");
  expect_computed("class Cap(enum.Enum):\n    OLD = enum.auto()\n    NEW = enum.auto()\n" + chosen, "CAP == Cap.NEW");
  expect_computed(one + "CAP = Cap(1 if V AT_LEAST Version('2.6') else 0)", "CAP == Cap.NEW");
  expect_computed(flags + "CAP = Cap.SLOPES | Cap.SOFT if V AT_LEAST Version('2.6') else Cap.SLOPES", "CAP & Cap.SOFT");
  expect_computed(flags + "CAP = Cap.SLOPES\nif V AT_LEAST Version('2.6'): CAP |= Cap.SOFT", "Cap.SOFT in CAP");
  expect_open("from somewhere import Mode\nclass Cap(Mode):\n    OLD = 0\n    NEW = 1\n" + chosen, "CAP is Cap.NEW");
  EXPECT_EQ(verdict("2.5.6", source(one, "Cap.OLD")), "keyword-unknown") << "every member is true";
}

TEST_F(Dependence, OfClassesAndObjects) {
  expect_computed(
      "class Cap:\n    OLD = 'old'\n    NEW = 'new'\nMODE = Cap.NEW if V AT_LEAST Version('2.6') else Cap.OLD",
      "MODE == Cap.NEW");
  expect_computed("class Flags:\n    SOFT = V AT_LEAST Version('2.6')", "Flags.SOFT");
  expect_open(
      "class Old:\n    soft = False\nclass New(Old):\n    soft = True\n"
      "Flags = New if V AT_LEAST Version('2.6') else Old",
      "Flags.soft");
  expect_computed("NEW = object()\nOLD = object()\nMODE = NEW if V AT_LEAST Version('2.6') else OLD", "MODE is NEW");
  expect_open("class Flags:\n    def __init__(self): self.soft = V AT_LEAST Version('2.6')\nflags = Flags()",
              "flags.soft");
  expect_open("class Flags:\n    soft = False\nsetattr(Flags, 'soft', V AT_LEAST Version('2.6'))", "Flags.soft");
  expect_open("Flags = collections.namedtuple('Flags', 'soft')\nflags = Flags(V AT_LEAST Version('2.6'))",
              "flags.soft");
  expect_open("class Old: pass\nclass New: pass\nflags = New() if V AT_LEAST Version('2.6') else Old()",
              "isinstance(flags, New)");
}

TEST_F(Dependence, OfListsSetsAndMappings) {
  const std::string minima = "MINIMA = {'softcap': '2.6.0', 'alibi_slopes': '2.4'}\n";
  expect_computed(minima + "SOME = {n for n, m in MINIMA.items() if V AT_LEAST Version(m)}", "'softcap' in SOME");
  expect_computed(minima + "SOME = {n: V AT_LEAST Version(m) for n, m in MINIMA.items()}", "SOME['softcap']");
  expect_computed("SOME = frozenset(n for n, m in (('softcap', '2.6'),) if V AT_LEAST Version(m))",
                  "'softcap' in SOME");
  expect_computed("SOME = set()\nif V AT_LEAST Version('2.6'):\n    SOME.add('softcap')", "'softcap' in SOME");
  expect_computed("SOME = {'a', 'softcap'}\nif V BELOW Version('2.6'): SOME.discard('softcap')", "{'softcap'} <= SOME");
  expect_computed(
      minima + "SOME = []\nfor n, m in MINIMA.items():\n    if V BELOW Version(m): continue\n    SOME.append(n)",
      "'softcap' in SOME");
  expect_computed("MODE = ('old', 'new')[V AT_LEAST Version('2.6')]", "MODE == 'new'");
  expect_computed("MODE = V AT_LEAST Version('2.6') and 'new' or 'old'", "MODE == 'new'");
  expect_computed("BITS = 1 << 3 if V AT_LEAST Version('2.6') else 0", "BITS & 8");
  expect_open("SOME = list(filter(lambda one: V AT_LEAST Version(one), ['2.6']))", "SOME");
  expect_open("import os\nSOME = set()\ndef allow():\n    if V AT_LEAST Version('2.6'): SOME.add('softcap')\nallow()",
              "'softcap' in SOME");
  // What a function adds at a time that is not known may be there.
  EXPECT_EQ(verdict("2.5.6", source("SOME = set()\ndef allow(name): SOME.add(name)", "'softcap' in SOME")),
            "keyword-unknown");
}

TEST_F(Dependence, OfFunctionsInTables) {
  expect_computed(
      "HOW = {'at least': operator.ge, 'below': operator.lt}\n"
      "def fits(how, wanted): return HOW[how](V, Version(wanted))\n"
      "NEW = fits('at least', '2.6')",
      "NOT NEW");
  expect_computed("", "V.__ge__(Version('2.6')) is (1 AT_LEAST 0)");
  expect_open("CHECKS = {'softcap': lambda: V AT_LEAST Version('2.6')}", "CHECKS['softcap']()");
  expect_open("from somewhere import compare\ndef fits(wanted): return compare(V, wanted)", "fits('2.6')");
  const std::string head = source("", "False") +
                           "def _new(q): return flash_attn_func(q, q, q, softcap=1.0)\n"
                           "def _old(q): return flash_attn_func(q, q, q)\n";
  const std::string key = "'new' if V >= Version('2.6') else 'old'";
  const std::string table = "TABLE = {'new': _new, 'old': _old}\n";
  EXPECT_EQ(verdict("2.5.6", head + table + "def run(q): return TABLE[" + key + "](q)\n"), "open");
  EXPECT_EQ(verdict("2.5.6", head + table + "def run(q, mode): return TABLE[mode](q)\n"), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", head + table + "def run(q): return TABLE[" + key + "](q)\ndef more(q): return _new(q)\n"),
            "keyword-unknown");
  const std::string registered =
      source("", "False") +
      "TABLE = {}\ndef register(key):\n    def keep(f):\n        TABLE[key] = f\n        return f\n    return keep\n"
      "@register('new')\ndef new(q): return flash_attn_func(q, q, q, softcap=1.0)\n"
      "@register('old')\ndef old(q): return flash_attn_func(q, q, q)\n";
  EXPECT_EQ(verdict("2.5.6", registered + "def run(q): return TABLE[" + key + "](q)\n"), "open");
  EXPECT_EQ(verdict("2.5.6", registered + "def run(q, mode): return TABLE[mode](q)\n"), "keyword-unknown");
}

TEST_F(Dependence, OfLoops) {
  const auto text = [](const std::string& loop, bool right) {
    return filled(source("", "False") + "def run(q):\n    " + loop +
                      "\n        return flash_attn_func(q, q, q, softcap=1.0)\n    return flash_attn_func(q, q, q)\n",
                  right);
  };
  for (const char* loop :
       {"while V AT_LEAST Version('2.6'):", "for cap in [1.0] if V AT_LEAST Version('2.6') else []:"}) {
    EXPECT_EQ(verdict("2.5.6", text(loop, true)), "clean") << loop;
    EXPECT_EQ(verdict("2.5.6", text(loop, false)), "keyword-unknown") << loop;
    EXPECT_EQ(verdict("2.6.3", text(loop, true)), "clean") << loop;
  }
  EXPECT_EQ(verdict("2.5.6", text("for _ in range(V >= Version('2.6')):", true)), "open");
  EXPECT_EQ(verdict("2.5.6", text("while q.ready():", true)), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", text("while V < Version('2.6'):\n        if q: break", true)), "keyword-unknown");
}

TEST_F(Dependence, OfProbes) {
  const std::string probe =
      "def takes(x):\n    try:\n        flash_attn_func(x, x, x, softcap=0.0)\n        return True\n"
      "    except TypeError:\n        return False\n";
  expect_computed(probe, "NOT takes(q)");
  const std::string known = "KNOWN = inspect.signature(flash_attn_func)\n";
  expect_open(known +
                  "def takes(**more):\n    try:\n        KNOWN.bind_partial(**more)\n    except TypeError:\n"
                  "        return False\n    return True",
              "takes(softcap=1.0)");
  expect_open(
      "try:\n    inspect.signature(flash_attn_func).parameters['softcap']\n    HAS = True\n"
      "except KeyError:\n    HAS = False",
      "HAS");
  expect_computed(
      "def need(wanted):\n    if V BELOW Version(wanted): raise RuntimeError(wanted)\n"
      "def fits(wanted):\n    try:\n        need(wanted)\n    except RuntimeError:\n        return False\n"
      "    return True",
      "fits('2.6')");
  const auto bound = [&](const std::string& refused, const std::string& taken) {
    return source(known, "False") + "def run(q):\n    try:\n        KNOWN.bind(q, q, q, softcap=1.0)\n" +
           "    except TypeError:\n        return flash_attn_func(q, q, q" + refused +
           ")\n    return flash_attn_func(q, q, q" + taken + ")\n";
  };
  EXPECT_EQ(verdict("2.5.6", bound("", ", softcap=1.0")), "clean");
  EXPECT_EQ(verdict("2.5.6", bound(", softcap=1.0", "")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", bound("", ", softcap=1.0")), "clean");
}

TEST_F(Dependence, DataIsNone) {
  for (const char* statements : {"class Config:\n    softcap = 1\nconfig = Config()\nNEW = config.softcap",
                                 "import os\nNEW = {'1': True}.get(os.environ.get('CAP'))",
                                 "class Config:\n    softcap = False\nNEW = Config.softcap",
                                 "import torch\nNEW = [x for x in torch.arange(3)]"}) {
    EXPECT_EQ(verdict("2.5.6", source(statements, "NEW")), "keyword-unknown") << statements;
  }
}

// A function that is given the provider's may look into it: a table of what it takes.
TEST_F(Dependence, WhatAFunctionMakesOfTheProvidersIsComputed) {
  const std::string table =
      "def table_of(f):\n    names = inspect.signature(f).parameters\n"
      "    return {n: n in names for n in ('causal', 'softcap')}\nTAKES = table_of(flash_attn_func)";
  for (const char* version : {"2.5.6", "2.6.3"})
    EXPECT_EQ(verdict(version, source(table, "TAKES['softcap']")), "clean");
  EXPECT_EQ(verdict("2.5.6", source(table, "not TAKES['softcap']")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", source(table, "not TAKES['softcap']")), "clean");
  const std::string asks = "def takes(f, name):\n    return name in inspect.signature(f).parameters";
  EXPECT_EQ(verdict("2.5.6", source(asks, "takes(flash_attn_func, 'softcap')")), "clean");
  EXPECT_EQ(verdict("2.5.6", source(asks, "takes(flash_attn_func, 'causal')")), "keyword-unknown");
  const std::string calls = "def takes(f, name):\n    f(name)\n    return True";
  EXPECT_EQ(verdict("2.6.3", source(calls, "takes(flash_attn_func, 'softcap')")), "open") << "it is handed on";
}

// Of a mapping that such a function makes, and that is not known, nothing is claimed.
TEST_F(Dependence, AKeyOfAnUnknownTableOfTheProvidersLeavesBothWaysOpen) {
  const auto text = [](const std::string& made, const char* yes, const char* no) {
    return source("from helpers import defaults_of", "False") + "def call(q, more):\n    kw = " + made +
           "\n    kw.update({'q': q, 'k': q, 'v': q})\n    if 'softcap' in kw: kw.update({'" + yes +
           "': 1.0})\n    else: kw['" + no + "'] = True\n    return flash_attn_func(**kw)\n";
  };
  EXPECT_EQ(verdict("2.5.6", text("defaults_of(flash_attn_func).copy()", "softcap", "causal")), "open");
  EXPECT_EQ(verdict("2.6.3", text("defaults_of(flash_attn_func)", "softcap", "causal")), "open");
  // A mapping of the caller's own may have the key or not.
  EXPECT_EQ(verdict("2.5.6", text("dict(more)", "softcap", "causal")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", text("dict(more)", "softcap", "causal")), "open") << "what else is in it is not known";
}

// A flag that is computed leaves what the run decides, under any name.
TEST_F(Dependence, ANameMayMixAFlagWithWhatTheRunDecides) {
  const auto source = [](const std::string& use, const std::string& flag) {
    return "import os\nimport flash_attn\nfrom packaging.version import Version\n"
           "V = Version(flash_attn.__version__)\nFLAG = " +
           flag + "\nCAP = os.environ.get('CAP') == '1' and FLAG\ndef attend(q, cap=None):\n    use = " + use +
           "\n    if use:\n        return flash_attn.flash_attn_func(q, q, q, softcap=cap)\n"
           "    return flash_attn.flash_attn_func(q, q, q)\n";
  };
  for (const char* use : {"FLAG and cap is not None", "cap is not None and FLAG", "not (not FLAG or cap is None)",
                          "(cap is not None) if FLAG else False", "CAP", "CAP and cap"}) {
    EXPECT_EQ(verdict("2.5.6", source(use, "V >= Version('2.5')")), "keyword-unknown") << use;
    EXPECT_EQ(verdict("2.5.6", source(use, "V >= Version('2.6')")), "clean") << use;
    EXPECT_EQ(verdict("2.5.6", source(use, "V in flash_attn.__all__")), "open") << use;
    EXPECT_EQ(verdict("2.6.3", source(use, "V >= Version('2.6')")), "clean") << use;
  }
}

TEST_F(Dependence, ADefaultMayBeAVersionTest) {
  const auto source = [](const std::string& version, const std::string& more = "") {
    return "import flash_attn\nfrom packaging.version import Version\nV = Version(flash_attn.__version__)\n"
           "def attend(q, new=V >= Version('" +
           version +
           "')):\n    if new: return flash_attn.flash_attn_func(q, q, q, softcap=1.0)\n"
           "    return flash_attn.flash_attn_func(q, q, q)\n" +
           more;
  };
  EXPECT_EQ(verdict("2.5.6", source("2.6")), "clean");
  EXPECT_EQ(verdict("2.6.3", source("2.6")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("2.5")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("2.6", "def other(q, cap): return attend(q, cap)\n")), "open");
}

}  // namespace
}  // namespace ropewalk::compat
