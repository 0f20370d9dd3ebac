// Names and modules that a caller looks up as texts.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Lookups : public CallerSources {
 protected:
  // A call with softcap of what the expression gives, beside one that is right.
  static std::string source(const std::string& body) {
    return "import importlib, sys\nimport flash_attn\nfrom importlib import import_module\n"
           "from flash_attn import flash_attn_func\ndef right(q): return flash_attn_func(q, q, q)\n"
           "def attend(q, name):\n    " +
           body + "\n";
  }
};

TEST_F(Lookups, OfConstantNamesAreFollowed) {
  for (const char* body : {"f = getattr(flash_attn, 'flash_attn_func')\n    f(q, q, q, softcap=1.0)",
                           "f = getattr(flash_attn, 'flash_attn_func', None)\n    if f: f(q, q, q, softcap=1.0)",
                           "getattr(flash_attn, 'flash_attn_func')(q, q, q, softcap=1.0)",
                           "fa = importlib.import_module('flash_attn')\n    fa.flash_attn_func(q, q, q, softcap=1.0)",
                           "fa = import_module('flash_attn.flash_attn_interface')\n    fa.flash_attn_func(q, q, q, "
                           "softcap=1.0)",
                           "fa = __import__('flash_attn')\n    fa.flash_attn_func(q, q, q, softcap=1.0)",
                           "__import__('flash_attn.flash_attn_interface').flash_attn_func(q, q, q, softcap=1.0)",
                           "sys.modules['flash_attn'].flash_attn_func(q, q, q, softcap=1.0)",
                           "f = getattr(import_module('flash_attn'), 'flash_attn_func') if q else None\n"
                           "    if q: f(q, q, q, softcap=1.0)"}) {
    EXPECT_EQ(verdict("2.5.6", source(body)), "keyword-unknown") << body;
    EXPECT_EQ(verdict("2.6.3", source(body)), "clean") << body;
  }
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(q, 'flash_attn_func')\n    f(q, softcap=1.0)")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("xf = import_module('xformers')\n    xf.flash_attn_func(q, softcap=1.0)")),
            "clean");
}

TEST_F(Lookups, OfNamesThatAreNotThereFail) {
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, 'flash_attn_unpadded_func')")), "name-missing");
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, 'flash_attn_unpadded_func', None)\n"
                                    "    if f is not None: flash_attn_func(q, q, q, softcap=1.0)")),
            "clean");
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, 'flash_attn_unpadded_func', None)\n"
                                    "    if f is None: flash_attn_func(q, q, q, softcap=1.0)")),
            "keyword-unknown");
}

TEST_F(Lookups, ThatCannotBeComputedAreTold) {
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, name)\n    f(q, q, q, softcap=1.0)")), "open");
  EXPECT_EQ(verdict("2.5.6", source("getattr(flash_attn, 'flash_attn_' + name)(q, softcap=1.0)")), "open");
  EXPECT_EQ(verdict("2.5.6", source("return getattr(flash_attn, 'flash_attn_func')")), "open") << "it is handed on";
  EXPECT_EQ(verdict("2.5.6", source("for each in ['flash_attn', name]:\n        fa = import_module(each)")), "open");
  EXPECT_EQ(verdict("2.5.6", source("for each in ['xformers', 'flash_attn']:\n        fa = import_module(each)\n"
                                    "    fa.flash_attn_func(q, q, q, softcap=1.0)")),
            "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("fa = import_module(name)")), "clean") << "nothing says that it is flash_attn";
  EXPECT_EQ(verdict("2.5.6", source("return getattr(q, name)")), "clean");
}

// Tables that a source makes of what a function takes.
TEST_F(Lookups, OfParametersAreTables) {
  const std::string by_items =
      "def table(f): return {n: p.default for n, p in inspect.signature(f).parameters.items()}\n";
  const std::string by_zip =
      "def table(f):\n    spec = inspect.getfullargspec(f)\n"
      "    given = spec.defaults if spec.defaults is not None else ()\n"
      "    return dict(zip(spec.args, (None,) * (len(spec.args) - len(given)) + given))\n";
  const auto passing = [](const std::string& table, const std::string& test) {
    return "import inspect\nfrom flash_attn import flash_attn_func\n" + table +
           "def attend(q):\n    known = table(flash_attn_func)\n    more = {}\n    if " + test +
           ":\n        more['softcap'] = 1.0\n    return flash_attn_func(q, q, q, **more)\n";
  };
  for (const std::string& table : {by_items, by_zip}) {
    for (const char* test : {"'softcap' in known", "known.get('softcap', -1) == 0.0", "len(known) == 11"}) {
      EXPECT_EQ(verdict("2.5.6", passing(table, test)), "clean") << table << test;
      EXPECT_EQ(verdict("2.6.3", passing(table, test)), "clean") << table << test;
    }
    EXPECT_EQ(verdict("2.5.6", passing(table, "known['causal'] is False")), "keyword-unknown") << table;
  }
  const auto passing_all = [](const std::string& table, const std::string& change) {
    return "import inspect\nfrom flash_attn import flash_attn_func\n" + table +
           "def attend(q, cap):\n    more = table(flash_attn_func).copy()\n    more.update({'q': q, 'k': q, 'v': q})\n "
           "   " +
           change + "\n    return flash_attn_func(**more)\n";
  };
  for (const std::string& table : {by_zip, by_items}) {
    EXPECT_EQ(verdict("2.5.6", passing_all(table, "if 'softcap' in more: more['softcap'] = cap")), "clean") << table;
    EXPECT_EQ(verdict("2.6.3", passing_all(table, "if 'softcap' in more: more['softcap'] = cap")), "clean") << table;
    EXPECT_EQ(verdict("2.5.6", passing_all(table, "more.update({'softcap': cap})")), "keyword-unknown") << table;
  }
}

TEST_F(Lookups, OfOneParameterTellIt) {
  const auto passing = [](const std::string& test) {
    return "import inspect\nfrom flash_attn import flash_attn_func\nP = inspect.signature(flash_attn_func).parameters\n"
           "def attend(q):\n    if " +
           test + ": return flash_attn_func(q, q, q, softcap=1.0)\n    return flash_attn_func(q, q, q)\n";
  };
  for (const char* right : {"P.get('softcap') is not None",
                            "'softcap' in {n for n, p in P.items() if p.default is not "
                            "inspect.Parameter.empty}",
                            "any(p.name == 'softcap' for p in P.values())"}) {
    EXPECT_EQ(verdict("2.5.6", passing(right)), "clean") << right;
    EXPECT_EQ(verdict("2.6.3", passing(right)), "clean") << right;
    EXPECT_EQ(verdict("2.5.6", passing("not (" + std::string(right) + ")")), "keyword-unknown") << right;
  }
  EXPECT_EQ(verdict("2.5.6", passing("P['q'].default is inspect.Parameter.empty")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", passing("P['causal'].default is inspect.Parameter.empty")), "clean");
  EXPECT_EQ(verdict("2.5.6", passing("P['q'].annotation is None")), "open");
}

// A function that makes a table may go on to change it.
TEST_F(Lookups, OfTablesAreMadeStepByStep) {
  const auto passing = [](const std::string& change) {
    return "import inspect\nfrom flash_attn.flash_attn_interface import _flash_attn_forward\n"
           "def table(f):\n    spec = inspect.getfullargspec(f)\n"
           "    args = dict(zip(spec.args, (None,) * len(spec.args)))\n    " +
           change +
           "\n    return args\ndef attend(q):\n    more = table(_flash_attn_forward)\n"
           "    more.update({'q': q, 'k': q, 'v': q, 'dropout_p': 0.0, 'softmax_scale': 1.0, 'causal': True, "
           "'window_size': (-1, -1), 'return_softmax': False})\n    return _flash_attn_forward(**more)\n";
  };
  for (const char* change : {"if 'softcap' in args: args['softcap'] = 0.0", "args.update({'softcap': 0.0})",
                             "if 'softcap' in args:\n        args.pop('softcap')\n        args['softcap'] = 1.0"}) {
    EXPECT_EQ(verdict("2.6.3", passing(change)), "clean") << change;
  }
  EXPECT_EQ(verdict("2.6.3", passing("pass")), "wrong-call") << "None is no number";
  EXPECT_EQ(verdict("2.6.3", passing("args.pop('softcap')")), "required-parameter-added");
  for (const char* later : {"more.update(q)", "for name in q: more[name] = 1.0",
                            "if q: more.update(softcap=1.0)\n    else: more.update(softcap=q)"}) {
    std::string text = passing("pass");
    text.replace(text.find("    return _flash"), 0, "    " + std::string(later) + "\n");
    EXPECT_NE(verdict("2.6.3", text), "wrong-call") << later << ": it may be another one there";
  }
  EXPECT_EQ(verdict("2.5.6", passing("if 'softcap' in args: args['softcap'] = 0.0")), "clean");
}

}  // namespace
}  // namespace ropewalk::compat
