#include "lib/compat/read_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace ropewalk::compat {
namespace {

// The calls as "line: f(positional; keywords) used by" for a provider p.api with f and g.
std::vector<std::string> calls(const std::string& source, const char* version = "2.6.3") {
  const PythonFile file = read_python("a.py", source);
  const CallOrder order(file, [](const std::string& name) { return name == "named_elsewhere"; });
  ProviderView provider{"p-kg", parse_version(version), {{"p.api", {"f", "g"}}}};
  std::vector<std::string> all;
  for (const Call& call : read_calls(file, order, OwnModules({}, provider)).calls) {
    std::vector<std::string> keywords;
    for (const NamedText& keyword : call.keywords) keywords.push_back(keyword.name);
    std::string text =
        fmt::format("{}: {}({}{}; {}{})", call.line, call.function, fmt::join(call.positional, ", "),
                    call.more_positional ? ", *" : "", fmt::join(keywords, ", "), call.more_keywords ? ", **" : "");
    for (const ResultUse& use : call.uses) text += fmt::format(" [{}]={}", use.index, use.name);
    if (call.unpacked) text += fmt::format(" unpacked {}", *call.unpacked);
    all.push_back(text);
  }
  return all;
}
using Calls = std::vector<std::string>;

TEST(ReadCalls, FollowsImportsAndNames) {
  EXPECT_EQ(calls("from p.api import f as forward\nh = forward\nh(1, x=2)\n"), Calls{"3: f(1; x)"});
  EXPECT_EQ(calls("import p.api\np.api.g(1)\n"), Calls{"2: g(1; )"});
  EXPECT_EQ(calls("import p.api as api\napi.g(1)\nother.g(1)\n"), Calls{"2: g(1; )"});
  EXPECT_EQ(calls("from p import api\napi.f()\n"), Calls{"2: f(; )"});
  EXPECT_EQ(calls("from p import f\nf()\n"), Calls{"2: f(; )"});
  EXPECT_EQ(calls("from q.api import f\nf(1)\n"), Calls{});
  EXPECT_EQ(calls("from p.api import f\ndef h(f): return f(1)\n"), Calls{});
}

TEST(ReadCalls, BuildsMappingsAndSequences) {
  EXPECT_EQ(calls("from p.api import f\n"
                  "def h(a):\n"
                  "    k = {'x': 1}\n"
                  "    k['y'] = 2\n"
                  "    k.update(z=3)\n"
                  "    del k['x']\n"
                  "    s = []\n"
                  "    s.append(a)\n"
                  "    s += [a, 7]\n"
                  "    return f(0, *s, w=1, **k)\n"),
            Calls{"10: f(0, a, a, 7; w, y, z)"});
  EXPECT_EQ(calls("from p.api import f\ndef h(*a, **k): f(*a, **k)\n"), Calls{"2: f(, *; , **)"});
  EXPECT_EQ(calls("from p.api import f\nk = dict(x=1, **other)\nf(**k)\n"), Calls{"3: f(; x, **)"});
}

TEST(ReadCalls, VersionTestsChoose) {
  const std::string source =
      "import importlib\n"
      "from p.api import f\n"
      "_p_version = PkgVersion(importlib.metadata.version('p_kg'))\n"
      "_new = _p_version >= PkgVersion('2.6.0')\n"
      "def h():\n"
      "    k = {}\n"
      "    if _new:\n"
      "        k['softcap'] = 0.0\n"
      "    elif _p_2_3_plus:\n"
      "        k['window'] = 1\n"
      "    f(**k)\n";
  EXPECT_EQ(calls(source, "2.6.3"), Calls{"11: f(; softcap)"});
  EXPECT_EQ(calls(source, "2.5.9.post1"), Calls{"11: f(; window)"});
  EXPECT_EQ(calls(source, "2.2"), Calls{"11: f(; )"});
}

TEST(ReadCalls, VersionsThatTheCallerRefusesHaveNoCalls) {
  const std::string source =
      "try:\n"
      "    v = Version(version('p-kg'))\n"
      "except PackageNotFoundError:\n"
      "    pass\n"
      "else:\n"
      "    if Version('2.1') <= v <= Version('2.6.3'):\n"
      "        from p.api import f\n"
      "def h(): f(1)\n";
  EXPECT_EQ(calls(source, "2.6.3"), Calls{"8: f(1; )"});
  EXPECT_EQ(calls(source, "2.7.0"), Calls{});
}

TEST(ReadCalls, TheSameConditionGoesTheSameWay) {
  EXPECT_EQ(calls("from p.api import f, g\n"
                  "def h(packed):\n"
                  "    if packed == 'thd':\n"
                  "        function = f\n"
                  "    else:\n"
                  "        function = g\n"
                  "    extra = []\n"
                  "    if packed == 'thd': extra = [1, 2]\n"
                  "    for i in range(3):\n"
                  "        out = function(0, *extra)\n"
                  "        lse = out[5]\n"),
            (Calls{"10: f(0, 1, 2; ) [5]=lse", "10: g(0; ) [5]=lse"}));
  EXPECT_EQ(calls("from p.api import f, g\ndef h(c):\n    x = f if c else g\n    x(1)\n"),
            (Calls{"4: f(1; )", "4: g(1; )"}));
}

TEST(ReadCalls, AssertionsAreVersionTests) {
  const std::string source =
      "from p.api import f\ndef h(fused):\n    assert fused or _p_2_3_plus, 'too old'\n"
      "    if not fused: f(x - 1, -y, window=1)\n";
  EXPECT_EQ(calls(source, "2.3"), Calls{"4: f(x - 1, -y; window)"});
  EXPECT_EQ(calls(source, "2.2"), Calls{});
}

// Whether f is called with y, by what the callers of h give it.
TEST(ReadCalls, LocalFunctionsAreReadAsTheyAreCalled) {
  const std::string imported = "from p.api import f\n__all__ = ['user']\n";
  const std::string callee = "def h(q, fused=False, n=0):\n    if fused: return g()\n    f(q)\n";
  const Calls reached{"5: f(q; )"};
  EXPECT_EQ(calls(imported + callee), reached) << "nobody calls it here: somebody may elsewhere";
  EXPECT_EQ(calls(imported + callee + "def user(q): h(q)\n"), reached);
  EXPECT_EQ(calls(imported + callee + "def user(q): h(q, True)\n"), Calls{});
  EXPECT_EQ(calls(imported + callee + "def user(q): h(q, n=1, fused=True)\n"), Calls{});
  EXPECT_EQ(calls(imported + callee + "def user(q, b): h(q, b)\n"), reached);
  EXPECT_EQ(calls(imported + callee + "def user(q, b):\n    h(q, True)\n    h(q, b)\n"), reached);
  EXPECT_EQ(calls(imported + callee + "def user(q, b):\n    if b: h(q, b)\n"), Calls{}) << "b is true there";
  EXPECT_EQ(calls(imported + callee + "def user(*a): h(*a)\n"), reached);
  EXPECT_EQ(calls(imported + callee + "def user(q): h(q, **{'fused': True})\n"), reached);
  EXPECT_EQ(calls(imported + callee + "def user(q):\n    a = [q]\n    a += [3, True]\n    a.pop(1)\n    h(*a)\n"),
            Calls{});
  EXPECT_EQ(calls(imported + callee + "def user(q, n):\n    a = [q, True]\n    a.pop(n)\n    h(*a)\n"), reached);
  // A call that is not reached does not count, and neither does one of a function that is not.
  EXPECT_EQ(calls(imported + callee + "def user(q):\n    if not _p_2_0_plus: h(q)\n"), Calls{});
  EXPECT_EQ(calls(imported + callee + "def between(q): h(q)\ndef user(q):\n    if not _p_2_0_plus: between(q)\n"),
            Calls{});
  // Whatever others may call is not read by the calls that are seen.
  EXPECT_EQ(calls("from p.api import f\n" + callee + "def user(q): h(q, True)\n"), Calls{"4: f(q; )"});
  EXPECT_EQ(calls("from p.api import f\n__all__ = ['h']\n" + callee + "def user(q): h(q, True)\n"), reached);
  EXPECT_EQ(calls(imported + callee + "def user(q):\n    h(q, True)\n    return [h]\n"), reached);
  EXPECT_EQ(calls(imported + "@register\n" + callee + "def user(q): h(q, True)\n"), Calls{"6: f(q; )"});
  EXPECT_EQ(calls("from p.api import f\n__all__ = []\ndef named_elsewhere(b):\n    if not b: f(1)\n"
                  "named_elsewhere(True)\n"),
            Calls{"4: f(1; )"});
  EXPECT_EQ(
      calls(imported + callee + "def user(q):\n    b = True\n    for n in q:\n        h(q, b)\n        b = False\n"),
      reached)
      << "in the second round b is false";
  EXPECT_EQ(calls(imported + callee + "def user(q, c):\n    b = True\n    if c: b = False\n    h(q, b)\n"), reached);
  // In a circle.
  EXPECT_EQ(calls(imported + "def h(n):\n    k(n)\n    f(n)\ndef k(n): h(n)\n"), Calls{"5: f(n; )"});
}

TEST(ReadCalls, MethodsComeAfterTheirInit) {
  const std::string source =
      "from p.api import f\nclass A:\n    def __init__(self, x):\n        if x: return\n"
      "        assert _p_2_3_plus, 'too old'\n    def forward(self): f(1)\n    @staticmethod\n    def other(): f(2)\n";
  EXPECT_EQ(calls(source, "2.3"), (Calls{"6: f(1; )", "8: f(2; )"}));
  EXPECT_EQ(calls(source, "2.2"), (Calls{"6: f(1; )", "8: f(2; )"})) << "with x it is made";
  const std::string strict =
      "from p.api import f\nclass A:\n    def __init__(self, x):\n"
      "        assert _p_2_3_plus, 'too old'\n    def forward(self): f(1)\n    @staticmethod\n    def other(): f(2)\n";
  EXPECT_EQ(calls(strict, "2.3"), (Calls{"5: f(1; )", "7: f(2; )"}));
  EXPECT_EQ(calls(strict, "2.2"), Calls{"7: f(2; )"});
}

TEST(ReadCalls, BackwardsComeAfterTheirForward) {
  const std::string source =
      "from p.api import f, g\n__all__ = []\nclass A(torch.autograd.Function):\n    @staticmethod\n"
      "    def forward(ctx, q, fused, flag=False):\n        assert fused or _p_2_3_plus\n        ctx.fused = fused\n"
      "        if flag: return 1\n        return f(q)\n    @staticmethod\n    def backward(ctx, d):\n"
      "        if not ctx.fused: g(d)\n";
  const Calls both{"9: f(q; )", "12: g(d; )"}, forward{"9: f(q; )"};
  EXPECT_EQ(calls(source, "2.3"), both);
  EXPECT_EQ(calls(source, "2.2"), forward) << "an older version is fused, or refused";
  EXPECT_EQ(calls(source + "A.apply(q, True)\n", "2.3"), forward);
  EXPECT_EQ(calls(source + "A.apply(q, False)\n", "2.3"), both);
  EXPECT_EQ(calls(source + "A.apply(q, False)\n", "2.2"), Calls{});
  EXPECT_EQ(calls(source + "A.apply(q, False, True)\n", "2.3"), Calls{"12: g(d; )"});
  std::string changed = source;
  changed.insert(changed.find("        if flag"), "        if q: ctx.fused = False\n");
  EXPECT_EQ(calls(changed, "2.2"), (Calls{"10: f(q; )", "13: g(d; )"}));
  EXPECT_EQ(calls(source + "A.apply(q, False)\nB = A\n", "2.2"), forward) << "who else applies it is not known";
}

// Conditions that nothing asks for again make no ways of their own: 2^40 of them are read at once.
TEST(ReadCalls, WaysThatDifferInNothingAreOne) {
  std::string source = "from p.api import f\ndef h(a):\n    k = {}\n    if a.last: k['x'] = 1\n";
  for (int n = 0; n < 40; ++n)
    source += fmt::format("    if a.x{}: raise ValueError\n    assert a.y{} or a.z{}\n", n, n, n);
  source += "    if a.last: f(**k)\n";
  EXPECT_EQ(calls(source), Calls{"85: f(; x)"});
}

// What an import inside a function gives a global name, other functions call.
TEST(ReadCalls, GlobalNamesAreGivenByFunctions) {
  const std::string lazy =
      "f = None\ndef load():\n    global f\n    if f is None:\n        from p.api import f as found\n        f = "
      "found\n"
      "def h(q): return f(q, 1)\n";
  EXPECT_EQ(calls(lazy), Calls{"7: f(q, 1; )"});
  EXPECT_EQ(calls("def h(q): return f(q)\ndef load():\n    global f, k\n    from p.api import f\n    k = 1\n"),
            Calls{"1: f(q; )"});
  EXPECT_EQ(calls("def h(q): return f(q)\ndef load():\n    from p.api import f\n"), Calls{}) << "a name of its own";
  EXPECT_EQ(calls("use = f = None\ndef load():\n    global use\n    import p.api\n    use = p.api.g if "
                  "_p_2_6_plus else p.api.f\ndef h(q): use(q)\n",
                  "2.5"),
            Calls{"6: f(q; )"});
}

TEST(ReadCalls, AValueThatIsChangedIsNotWhatItWas) {
  EXPECT_EQ(calls("from p.api import f\nk = {'x': 1}\nk.clear()\nf(**k)\n"), Calls{"4: f(; )"});
  EXPECT_EQ(calls("from p.api import f\nuse = False\nfor use in both: pass\nif use: f(1)\n"), Calls{"4: f(1; )"});
  EXPECT_EQ(calls("from p.api import f\nn = 0\nn += 1\nif n: f(1)\n"), Calls{"4: f(1; )"});
  EXPECT_EQ(calls("from p.api import f\nn = 0\nif (n := ask()): f(n)\n"), Calls{"3: f(n; )"});
  EXPECT_EQ(calls("from p.api import f\nmatch how:\n    case 1: f(1)\n    case _: f(2)\n"),
            (Calls{"3: f(1; )", "4: f(2; )"}));
  EXPECT_EQ(calls("from p.api import f\nprint(f'{f(1)} {f(2)[3]}')\n"), (Calls{"2: f(1; )", "2: f(2; ) [3]="}));
  EXPECT_EQ(calls("from p.api import f\nf(*[1, 2], **{'x': 3})\n"), Calls{"2: f(1, 2; x)"});
}

TEST(ReadCalls, OtherPackagesAreNotThere) {
  EXPECT_EQ(calls("use_other = False\n"
                  "try:\n"
                  "    v = Version(version('other'))\n"
                  "except PackageNotFoundError:\n"
                  "    pass\n"
                  "else:\n"
                  "    use_other = True\n"
                  "from p.api import f\n"
                  "def h():\n"
                  "    k = {}\n"
                  "    if not use_other: k['x'] = 1\n"
                  "    f(**k)\n"),
            Calls{"12: f(; x)"});
}

TEST(ReadCalls, ResultsAreFollowed) {
  EXPECT_EQ(calls("from p.api import f\n_, out, lse[i], *rest = f()\n"),
            Calls{"2: f(; ) [0]= [1]=out [2]=lse unpacked 3"});
  EXPECT_EQ(calls("from p.api import f\n(\n    _, out, lse[i]\n) = f()\n"),
            Calls{"4: f(; ) [0]= [1]=out [2]=lse unpacked 3"});
  EXPECT_EQ(calls("from p.api import f\no = f()\na, b = o[0], o[1]\nreturn_it = f()[3]\n"),
            (Calls{"2: f(; ) [0]=a [1]=b", "4: f(; ) [3]="}));
}

}  // namespace
}  // namespace ropewalk::compat
