// What a caller does with the results of its calls.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class WalkCalls : public CallerSources {
 protected:
  static std::string source(const std::string& body) {
    return "from flash_attn import flash_attn_func, flash_attn_with_kvcache\n"
           "from flash_attn.flash_attn_interface import _flash_attn_forward\n"
           "def attend(q, k, v, flag):\n    " +
           body + "\n";
  }
  static std::string forward(const std::string& body) {
    return source(
        "r = _flash_attn_forward(q, k, v, 0.0, 1.0, causal=True, window_size_left=-1, window_size_right=-1, "
        "softcap=0.0, alibi_slopes=None, return_softmax=False)\n    " +
        body);
  }
};

TEST_F(WalkCalls, NumbersOfResultsAreThoseThatAFlagAsksFor) {
  for (const char* body :
       {"out, lse = flash_attn_func(q, k, v, return_attn_probs=True)", "out, lse, p = flash_attn_func(q, k, v)",
        "out, lse, p = flash_attn_func(q, k, v, return_attn_probs=False)",
        "r = flash_attn_func(q, k, v, return_attn_probs=True)\n    out, lse = r",
        "lse = flash_attn_func(q, k, v, return_attn_probs=True)[3]", "r = flash_attn_func(q, k, v)\n    lse = r[1]",
        "out, lse = flash_attn_with_kvcache(q, k, v)",
        "out, lse, p = flash_attn_with_kvcache(q, k, v, return_softmax_lse=True)"}) {
    EXPECT_EQ(verdict("2.6.3", source(body)), "wrong-call") << body;
  }
  for (const char* body :
       {"out, lse, p = flash_attn_func(q, k, v, return_attn_probs=True)", "out = flash_attn_func(q, k, v)",
        "out, *_ = flash_attn_func(q, k, v, return_attn_probs=True)",
        "out, lse = flash_attn_func(q, k, v, return_attn_probs=flag)",
        "return flash_attn_func(q, k, v)[0], flash_attn_func(q, k, v, return_attn_probs=True)[1]",
        "out = flash_attn_func(q, k, v)\n    return out[0], out[3]", "out = flash_attn_func(q, k, v)\n    out = out[0]",
        "out, lse = flash_attn_with_kvcache(q, k, v, return_softmax_lse=True)",
        "r = flash_attn_func(q, k, v, return_attn_probs=True)\n    out, lse = r[0], r[1]"}) {
    EXPECT_EQ(verdict("2.6.3", source(body)), "clean") << body;
  }
}

TEST_F(WalkCalls, ResultsAreSeenWhereverTheyAreTaken) {
  for (const char* body : {"return r[0], r[5]", "lse = r[5]", "print(r[0], r[5])", "if r[5] is None: return r[0]",
                           "return f(r[0])[r[5]]", "out, s = r[0], r[1:]\n    for x in r[5]: pass"}) {
    EXPECT_NE(verdict("2.7.4.post1", forward(body)), "clean") << body;
    EXPECT_NE(verdict("2.7.4.post1", forward(body)), "open") << body;
  }
  for (const char* body : {"return r[0], r[1]", "lse = r[1]", "flash_attn_func(q, k, v, 0.0, 0.125)",
                           "r = [1] * 9\n    return r[5]", "return q[5], r[3]"}) {
    EXPECT_EQ(verdict("2.7.4.post1", forward(body)), "clean") << body;
  }
}

TEST_F(WalkCalls, ACallerThatAsksWhatTheResultIsKnowsIt) {
  for (const char* body :
       {"return r[5] if len(r) > 5 else r[1]", "lse = r[5] if len(r) == 8 else r[1]",
        "if len(r) > 5:\n        return r[5]\n    return r[1]", "assert len(r) == 8\n    return r[5]",
        "try:\n        return r[5]\n    except IndexError:\n        return r[1]"}) {
    EXPECT_EQ(verdict("2.7.4.post1", forward(body)), "clean") << body;
  }
  EXPECT_EQ(verdict("2.6.3", source("r = flash_attn_func(q, k, v)\n    if isinstance(r, tuple): out, lse, p = r")),
            "clean");
  EXPECT_EQ(verdict("2.6.3", source("try:\n        out, lse = flash_attn_func(q, k, v, return_attn_probs=True)\n"
                                    "    except ValueError:\n        out = q")),
            "clean");
  EXPECT_EQ(verdict("2.6.3", source("try:\n        out, lse = flash_attn_func(q, k, v, return_attn_probs=True)\n"
                                    "    except ImportError:\n        out = q")),
            "wrong-call");
}

TEST_F(WalkCalls, HowManyResultsThereAreIsComputed) {
  for (const char* body : {"if len(r) >= 4: out, _, _, _, _, lse, _, _ = r", "return r[5] if len(r) == 4 else r[1]",
                           "n = len(r)\n    if n < 8: return r[5]"}) {
    EXPECT_EQ(verdict("2.7.4.post1", forward(body)), "wrong-call") << body;
  }
  for (const char* body : {"if len(r) == 8: out, _, _, _, _, lse, _, _ = r", "return r[5] if len(r) > 4 else r[1]",
                           "n = len(r)\n    if n > 4: return r[5]", "return r[len(r) - 1]"}) {
    EXPECT_EQ(verdict("2.7.4.post1", forward(body)), "clean") << body;
  }
}

TEST_F(WalkCalls, ResultsMayBeCountedFromTheEnd) {
  EXPECT_EQ(verdict("2.7.4.post1", forward("return r[-6]")), "wrong-call");
  EXPECT_EQ(verdict("2.7.4.post1", forward("lse = r[-1]")), "wrong-call") << "it is rng_state";
  EXPECT_EQ(verdict("2.7.4.post1", forward("lse = r[-3]\n    return r[-4]")), "clean");
}

TEST_F(WalkCalls, NamesOfALambdaOrAComprehensionAreItsOwn) {
  for (const char* inside : {"(lambda flash_attn_func: flash_attn_func(q, bogus=1))(k)",
                             "[flash_attn_func(q, bogus=1) for flash_attn_func in v]",
                             "{k: flash_attn_func(q, bogus=1) for k, flash_attn_func in v.items()}"}) {
    EXPECT_NE(verdict("2.6.3", source(std::string("return ") + inside)), "wrong-call") << inside;
  }
  for (const char* inside : {"(lambda q: flash_attn_func(q, bogus=1))(k)", "[flash_attn_func(q, bogus=1) for q in v]",
                             "[x for flash_attn_with_kvcache in v if flash_attn_func(q, bogus=1)]"}) {
    EXPECT_EQ(verdict("2.6.3", source(std::string("return ") + inside)), "wrong-call") << inside;
  }
}

// The target of a loop has the name of the function, and is not it: nothing is handed on.
TEST_F(WalkCalls, NamesThatLoopsGiveAreNotHandedOn) {
  const auto reasons = [&](const std::string& body) {
    std::string all;
    for (const Answer::NotJudged& one :
         answer("2.6.3", {{"a.py", source("flash_attn_with_kvcache(q, k, v)\n    " + body)}}).not_judged)
      all += one.reason + "\n";
    return all;
  };
  EXPECT_EQ(reasons("return [flash_attn_func(q) for flash_attn_func in v]"), "");
  EXPECT_EQ(reasons("for flash_attn_func in v: q = flash_attn_func(q)"), "");
  EXPECT_NE(reasons("return [x(flash_attn_func) for x in v]").find("([x(flash_attn_func) for x in v])"),
            std::string::npos);
  EXPECT_NE(reasons("return [x for x in v[flash_attn_func]]"), "");
}

// A function that passes **more on, and one that calls it.
std::string passing_on(const std::string& wrapper, const std::string& call) {
  return "import flash_attn\nfrom flash_attn import flash_attn_func\nfrom packaging.version import Version\n"
         "NEW = Version(flash_attn.__version__) >= Version('2.6')\n" +
         wrapper + "def attend(q):\n    " + call + "\n";
}

TEST_F(WalkCalls, WhatCallsPutIntoMoreIsFollowed) {
  const std::string plain = "def inner(q, **more):\n    return flash_attn_func(q, q, q, **more)\n";
  EXPECT_EQ(verdict("2.5.6", passing_on(plain, "inner(q, softcap=1.0)")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", passing_on(plain, "return inner(q, softcap=1.0) if NEW else inner(q)")), "open");
  // Anybody may call it with something else.
  EXPECT_EQ(verdict("2.6.3", passing_on(plain, "inner(q, softcap=1.0)")), "open");
  EXPECT_EQ(verdict("2.5.6", passing_on(plain, "inner(q, causal=True)")), "open");
  // What the function takes out, or keeps from the call, is not given.
  EXPECT_EQ(verdict("2.5.6", passing_on("def inner(q, **more):\n    if not NEW: more.pop('softcap', None)\n"
                                        "    return flash_attn_func(q, q, q, **more)\n",
                                        "inner(q, softcap=1.0)")),
            "open");
  EXPECT_EQ(
      verdict("2.5.6", passing_on("def inner(q, new, **more):\n    if new: return flash_attn_func(q, q, q, **more)\n"
                                  "    return q\n",
                                  "inner(q, NEW, softcap=1.0)")),
      "open");
  EXPECT_EQ(verdict("2.5.6", passing_on("def inner(q, softcap=None, **more):\n"
                                        "    return flash_attn_func(q, q, q, **more)\n",
                                        "inner(q, softcap=1.0)")),
            "open");
  // A TypeError of the call is caught.
  EXPECT_EQ(verdict("2.5.6", passing_on(plain, "try: inner(q, softcap=1.0)\n    except TypeError: inner(q)")), "open");
}

}  // namespace
}  // namespace ropewalk::compat
