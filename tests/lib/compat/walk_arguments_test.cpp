// Collections of arguments whose items depend on tests: a call that unpacks them is judged as the same call under the
// same test.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class WalkArguments : public CallerSources {
 protected:
  // flash_attn_func takes window_size since 2.3.0 and softcap since 2.6.0.
  static std::string source(const std::string& body, const std::string& call = "") {
    return "import flash_attn, functools, inspect, os, re\nfrom packaging.version import Version\n"
           "V = Version(flash_attn.__version__)\nODD = bool(re.match('(?!9)2', flash_attn.__version__))\n"
           "def attend(q, cap=None, on=True, given=None, **more):\n    " +
           body +
           (call.empty() ? "\n    return flash_attn.flash_attn_func(q, q, q, **kw)\n" : "\n    return " + call + "\n");
  }
  void expect(const std::string& text, const char* before, const char* after) {
    EXPECT_EQ(verdict("2.5.6", text), before) << text;
    EXPECT_EQ(verdict("2.6.3", text), after) << text;
  }
};

TEST_F(WalkArguments, AnItemUnderATestIsThereOnOneWay) {
  for (const char* body :
       {"kw = {}\n    if cap is not None: kw['softcap'] = cap",
        "kw = dict(causal=True)\n    if cap: kw.update(softcap=cap)",
        "kw = {}\n    if cap: kw.update({'softcap': cap})", "kw = {}\n    if cap: kw |= {'softcap': cap}",
        "kw = {}\n    if cap: kw = kw | {'softcap': cap}", "kw = {}\n    if cap: kw = {**kw, 'softcap': cap}",
        "kw = {}\n    if cap: kw = dict(kw, softcap=cap)", "kw = {}\n    if cap: kw.setdefault('softcap', cap)",
        "kw = {'softcap': cap}\n    if not on: kw.pop('softcap')",
        "kw = {'softcap': cap}\n    if not on: del kw['softcap']", "kw = {'softcap': cap}\n    if not on: kw.clear()",
        "kw = {}\n    for one in given:\n        if one: kw['softcap'] = one",
        "kw = {}\n    for name in ('causal', 'softcap'): kw[name] = cap",
        "kw = {}\n    with functools.nullcontext():\n        if cap: kw['softcap'] = cap",
        "kw = {}\n    if (limit := cap) is not None: kw['softcap'] = limit",
        "kw = {}\n    if os.environ.get('CAP') == '1': kw['softcap'] = 1.0",
        "extra = {}\n    if cap: extra['softcap'] = cap\n    kw = {'causal': on, **extra}",
        "extra = {}\n    if cap: extra['softcap'] = cap\n    kw = {}\n    kw.update(extra)",
        "extra = {}\n    if cap: extra['softcap'] = cap\n    kw = extra.copy()"}) {
    expect(source(body), "keyword-unknown", "clean");
  }
}

TEST_F(WalkArguments, AConditionalExpressionIsSuchATest) {
  for (const char* body :
       {"kw = {'softcap': cap} if cap else {}", "kw = {'causal': on, **({'softcap': cap} if cap else {})}",
        "kw = dict(causal=on, **({} if cap is None else {'softcap': cap}))",
        "kw = {}\n    kw |= {'softcap': cap} if cap else {}", "kw = {}\n    kw.update({'softcap': cap} if cap else {})",
        "kw = {'causal': on} | ({'softcap': cap} if cap else {})", "kw = cap and {'softcap': cap} or {}"}) {
    expect(source(body), "keyword-unknown", "clean");
  }
  const char* const call = "flash_attn.flash_attn_func(q, q, q, **({'softcap': cap} if ";
  expect(source("pass", std::string(call) + "cap else {}))"), "keyword-unknown", "clean");
  expect(source("pass", std::string(call) + "V >= Version('2.6') else {}))"), "clean", "clean");
  expect(source("pass", std::string(call) + "V < Version('2.6') else {}))"), "keyword-unknown", "clean");
  expect(source("pass", std::string(call) + "ODD else {}))"), "open", "clean");
}

TEST_F(WalkArguments, TestsThatFitTheVersionKeepTheItemAway) {
  for (const char* body :
       {"kw = {}\n    if cap and V >= Version('2.6'): kw['softcap'] = cap",
        "kw = {}\n    if 'softcap' in inspect.signature(flash_attn.flash_attn_func).parameters: kw['softcap'] = cap",
        "kw = {'softcap': cap}\n    if V < Version('2.6'): kw.pop('softcap', None)",
        "kw = {}\n    if cap:\n        if V < Version('2.6'): raise ValueError(cap)\n        kw['softcap'] = cap",
        "kw = {}\n    if cap: kw['softcap'] = cap\n    if cap: return q",
        "kw = {}\n    if cap: kw['softcap'] = cap\n    if kw: return q",
        "kw = {}\n    if cap: kw['softcap'] = cap\n    if 'softcap' in kw: return q",
        "kw = {'softcap': cap}\n    soft = kw.pop('softcap')", "kw = {'softcap': cap}\n    kw.clear()",
        "kw = {}\n    if cap: kw['softcap'] = cap\n    try:\n        return flash_attn.flash_attn_func(q, q, q, **kw)\n"
        "    except TypeError:\n        kw.pop('softcap', None)"}) {
    expect(source(body), "clean", "clean");
  }
  expect(source("kw = {}\n    if ODD: kw['softcap'] = cap"), "open", "clean");
}

TEST_F(WalkArguments, WhatIsPutIntoAnUnknownMappingIsThere) {
  expect(source("if cap: more['softcap'] = cap\n    kw = more"), "keyword-unknown", "open");
  expect(source("if cap: given['softcap'] = cap\n    kw = given"), "keyword-unknown", "open");
  expect(source("if cap: given.update(softcap=cap)\n    kw = given"), "keyword-unknown", "open");
  expect(source("kw = more"), "open", "open");
}

TEST_F(WalkArguments, FilteredItemsAreThereWhereTheirConditionsHold) {
  const auto filtered = [](const char* item) {
    return source(std::string("kw = {'causal': on, 'softcap': ") + item +
                  "}\n    kw = {name: value for name, value in kw.items() if value is not None}");
  };
  expect(filtered("cap"), "keyword-unknown", "clean");
  expect(filtered("None"), "clean", "clean");
}

TEST_F(WalkArguments, FunctionsOfTheFileMakeThem) {
  const auto made = [](const std::string& test, const std::string& use) {
    return "import flash_attn, re\nfrom packaging.version import Version\nV = Version(flash_attn.__version__)\n"
           "class Layer:\n    def options(self, cap):\n        kw = {}\n        if " +
           test + ": kw['softcap'] = cap\n        return kw\n    def attend(self, q, cap):\n        " + use +
           "\ndef options(cap):\n    if " + test +
           ": return {'softcap': cap}\n    return {}\ndef attend(q, cap):\n    kw = options(cap)\n"
           "    return flash_attn.flash_attn_func(q, q, q, **kw)\n";
  };
  const char* const unpacked = "return flash_attn.flash_attn_func(q, q, q, **self.options(cap))";
  for (const char* use : {"pass", unpacked}) {
    expect(made("cap", use), "keyword-unknown", "clean");
    expect(made("V >= Version('2.6')", use), "clean", "clean");
    expect(made("re.match('(?!9)2', flash_attn.__version__)", use), "open", "clean");
  }
}

// What another name, or another function, puts into it is not seen: nothing is said of the call.
TEST_F(WalkArguments, ChangesThatAreNotSeenAreSaid) {
  expect(source("kw = {}\n    other = kw\n    other['softcap'] = cap"), "open", "open");
  expect("def fill(into, cap): into['softcap'] = cap\n" + source("kw = {}\n    fill(kw, cap)"), "open", "open");
}

TEST_F(WalkArguments, PartialGivesArgumentsBefore) {
  const char* const call = "g(q, q, q)";
  expect(source("g = functools.partial(flash_attn.flash_attn_func, softcap=cap)", call), "keyword-unknown", "clean");
  expect(source("g = flash_attn.flash_attn_func\n    if cap: g = functools.partial(g, softcap=cap)", call),
         "keyword-unknown", "clean");
  expect(source("kw = {}\n    if cap: kw['softcap'] = cap\n    g = functools.partial(flash_attn.flash_attn_func, **kw)",
                call),
         "keyword-unknown", "clean");
  expect(source("g = functools.partial(flash_attn.flash_attn_func, causal=True)", call), "clean", "clean");
  expect(source("g = functools.partial(flash_attn.flash_attn_func, q, q)", "g(q, causal=on)"), "clean", "clean");
  expect(source("g = functools.partial(flash_attn.flash_attn_func, q, q, causal=on)", "g(q, causal=False)"), "clean",
         "clean");
  expect(
      source("g = flash_attn.flash_attn_func\n    if V >= Version('2.6'): g = functools.partial(g, softcap=cap)", call),
      "clean", "clean");
}

TEST_F(WalkArguments, APartialMayBeOneOfAPartial) {
  const std::string made = "g = functools.partial(functools.partial(flash_attn.flash_attn_func, causal=True), ";
  expect(source(made + "softcap=cap)", "g(q, q, q)"), "keyword-unknown", "clean");
  expect(source(made + "causal=on)", "g(q, q, q)"), "clean", "clean");
}

TEST_F(WalkArguments, AParameterIsItsDefaultUnlessCallsGiveItAnother) {
  const std::string import = "import flash_attn\nfrom flash_attn import flash_attn_func\n";
  const auto with = [&](const std::string& body, const std::string& parameters = "q, attn=flash_attn_func") {
    return import + "def attend(" + parameters + "):\n    " + body + "\n";
  };
  const std::string call = "return attn(q, q, q, softcap=1.0)";
  expect(with(call), "keyword-unknown", "clean");
  expect(with(call, "q, *, attn=flash_attn.flash_attn_func"), "keyword-unknown", "clean");
  expect(with(call) + "def use(q): return attend(q)\n", "keyword-unknown", "clean");
  expect(with("return attn(q, q, q)"), "clean", "clean");
  for (const char* use : {"attend(q, other)", "attend(q, attn=other)", "attend(*q)", "attend(q, **other)"})
    EXPECT_NE(verdict("2.5.6", with(call) + "def use(q, other): return " + use + "\n"), "keyword-unknown") << use;
  // A way on which it is another one.
  expect(with("if q: attn = print\n    else: return flash_attn_func(q, q, q)\n    " + call), "clean", "clean");
}

TEST_F(WalkArguments, NamesAndValuesMayBeZipped) {
  const auto source = [](const std::string& version) {
    return "import flash_attn\nfrom packaging.version import Version\nV = Version(flash_attn.__version__)\n"
           "def attend(q):\n    names = ['dropout_p', 'causal']\n    values = [0.0, True]\n"
           "    if V >= Version('" +
           version +
           "'):\n        names.append('softcap'); values.append(1.0)\n"
           "    return flash_attn.flash_attn_func(q, q, q, **dict(zip(names, values)))\n";
  };
  EXPECT_EQ(verdict("2.5.6", source("2.6")), "clean");
  EXPECT_EQ(verdict("2.6.3", source("2.6")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("2.5")), "keyword-unknown");
}

}  // namespace
}  // namespace ropewalk::compat
