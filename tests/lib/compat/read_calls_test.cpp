#include "lib/compat/read_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace ropewalk {
namespace {

// The calls as "line: f(positional; keywords) used by" for a provider p.api with f and g.
std::vector<std::string> calls(const std::string& source, const char* version = "2.6.3") {
  const PythonFile file = read_python("a.py", source);
  ProviderView provider{"p-kg", parse_version(version), {{"p.api", {"f", "g"}}}};
  std::vector<std::string> all;
  for (const Call& call : read_calls(file, provider).calls) {
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

TEST(ReadCalls, GuardsChooseByVersion) {
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

TEST(ReadCalls, AssertionsAreGuards) {
  const std::string source =
      "from p.api import f\ndef h(fused):\n    assert fused or _p_2_3_plus, 'too old'\n"
      "    if not fused: f(x - 1, -y, window=1)\n";
  EXPECT_EQ(calls(source, "2.3"), Calls{"4: f(x - 1, -y; window)"});
  EXPECT_EQ(calls(source, "2.2"), Calls{});
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
  EXPECT_EQ(calls("from p.api import f\no = f()\na, b = o[0], o[1]\nreturn_it = f()[3]\n"),
            (Calls{"2: f(; ) [0]=a [1]=b", "4: f(; ) [3]="}));
}

}  // namespace
}  // namespace ropewalk
