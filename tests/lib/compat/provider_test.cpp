// Providers that are sources: what they say of themselves, and what the table says of other versions.
#include "lib/compat/provider.h"

#include "tests/lib/compat/caller_sources.h"
#include "tests/lib/message.h"

namespace ropewalk::compat {
namespace {

class Providers : public CallerSources {
 protected:
  // flash-attn's function, without softcap.
  static Files package(const std::string& init, const std::string& metadata = "") {
    Files files = {{"flash_attn/__init__.py", init + "from .flash_attn_interface import flash_attn_func\n"},
                   {"flash_attn/flash_attn_interface.py",
                    "def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False): return q\n"}};
    if (!metadata.empty()) {
      files.emplace_back("flash_attn.dist-info/METADATA", "Name: flash-attn\nVersion: " + metadata + "\n");
    }
    return files;
  }
  // softcap is passed where the test is true.
  static std::string caller(const std::string& test) {
    return "import importlib.metadata\nimport flash_attn\nfrom packaging.version import Version\n"
           "def attend(q):\n    if " +
           test +
           ":\n        return flash_attn.flash_attn_func(q, q, q, softcap=1.0)\n"
           "    return flash_attn.flash_attn_func(q, q, q)\n";
  }
  static std::string cause_in(const Answer& answer) {
    return answer.findings.empty() ? "" : answer.findings[0].cause->id + ": " + answer.findings[0].cause->text;
  }
};

TEST_F(Providers, OfAVersionThatIsNotKnownLackWhatTheTableHas) {
  const std::string cause = cause_in(answer_of(package(""), caller("True")));
  EXPECT_TRUE(
      cause.starts_with("keyword-unknown: softcap is a parameter of flash_attn_func in flash-attn 2.6.0 to "
                        "2.8.3.post2, and none in the sources "))
      << cause;
  EXPECT_TRUE(cause.ends_with("provider, whose version is not known")) << cause;
  const std::string no_parameter = cause_in(
      answer_of(package(""), "from flash_attn import flash_attn_func\nflash_attn_func(1, 2, 3, soft_cap=1.0)\n"));
  EXPECT_TRUE(no_parameter.starts_with("wrong-call: soft_cap is no parameter of flash_attn_func")) << no_parameter;
  EXPECT_EQ(word_for(answer_of(package(""), caller("False"))), "clean");
  const Answer old = answer_of(package(""), caller("True"), "2.0.4");
  EXPECT_TRUE(
      cause_in(old).starts_with("keyword-unknown: softcap is a parameter of flash_attn_func since flash-attn "
                                "2.6.0, and none in flash-attn 2.0.4"));
}

TEST_F(Providers, MayStateAnotherVersionThanTheirMetadata) {
  const Files other = package("__version__ = '2.5.9'\n", "2.7.3"), same = package("__version__ = '2.7.3'\n", "2.7.3");
  const std::string stated = caller("flash_attn.__version__ >= '2.6'");
  const std::string installed = caller("Version(importlib.metadata.version('flash-attn')) >= Version('2.6')");
  const Answer right = answer_of(other, stated);
  EXPECT_EQ(word_for(right), "clean");
  ASSERT_EQ(right.notes.size(), 1u);
  EXPECT_TRUE(right.notes[0].ends_with("its metadata says that it is of version 2.7.3, and its __version__ 2.5.9"));
  const Answer wrong = answer_of(other, installed);
  EXPECT_TRUE(
      cause_in(wrong).starts_with("keyword-unknown: softcap is a parameter of flash_attn_func in flash-attn "
                                  "2.6.0 to 2.8.3.post2, and none in the sources "));
  EXPECT_TRUE(cause_in(wrong).ends_with(", which are said to be of 2.7.3"));
  EXPECT_TRUE(answer_of(same, installed).notes.empty());
  EXPECT_EQ(word_for(answer_of(same, stated)), "keyword-unknown");
}

TEST_F(Providers, AreThereOnce) {
  Files twice = {{"1/flash_attn/__init__.py", "def f(a): pass\n"}, {"2/flash_attn/__init__.py", "def f(b): pass\n"}};
  const std::string path = (folder_ / "provider").string();
  EXPECT_EQ(message_of([&] { answer_of(twice, "import flash_attn\n"); }),
            path + ": holds flash_attn more than once (" + path + "/1/flash_attn/__init__.py and " + path +
                "/2/flash_attn/__init__.py); give the path of one");
  twice[1].first = "2/other/__init__.py";
  EXPECT_EQ(word_for(answer_of(twice, "import flash_attn\nflash_attn.f(a=1)\n")), "clean");
}

const std::string import_both = "from flash_attn import flash_attn_func, flash_attn_with_kvcache\n";
const std::string call = "def attend(q):\n    return flash_attn_func(q, q, q)\n";

TEST_F(Providers, LackTheNamesThatTheirModulesDoNotHave) {
  const Files old = package("__version__ = '2.0.4'\n");
  const Answer imported = answer_of(old, import_both + call);
  EXPECT_EQ(cause_in(imported),
            "name-missing: flash_attn_with_kvcache is there since flash-attn 2.2.0, and is not in flash-attn 2.0.4");
  EXPECT_TRUE(imported.findings[0].message.starts_with(
      "flash_attn of flash-attn 2.0.4 has no flash_attn_with_kvcache, which the caller imports: ImportError"));
  EXPECT_EQ(cause_in(answer_of(old, "import flash_attn\nflash_attn.other(1)\n")),
            "name-missing: flash_attn of flash-attn 2.0.4 has no name other");
  EXPECT_NE(imported.findings[0].cause->advice.find("or use flash-attn 2.2.0"), std::string::npos);
  const Answer other = answer_of(old, "from flash_attn import other, flash_attn_func\n" + call);
  ASSERT_EQ(other.findings.size(), 1u);
  EXPECT_EQ(other.findings[0].cause->advice.find("or use"), std::string::npos) << other.findings[0].cause->advice;
  const std::string unknown = cause_in(answer_of(package(""), import_both + call));
  EXPECT_TRUE(
      unknown.starts_with("name-missing: flash_attn_with_kvcache is there in flash-attn 2.2.0 to 2.8.3.post2, "
                          "and not in the sources "))
      << unknown;
  EXPECT_EQ(word_for(answer_of(old, "from flash_attn.flash_attn_interface import flash_attn_func\n" + call)), "clean");
  EXPECT_EQ(word_for(answer_of(old, "from flash_attn import flash_attn_interface as f\nf.flash_attn_func(1, 2, 3)\n")),
            "clean");
  EXPECT_EQ(word_for(answer_of(old, "try:\n    " + import_both + "except RuntimeError:\n    pass\n" + call)),
            "name-missing");
  EXPECT_EQ(word_for(answer_of(old,
                               "import flash_attn\nflash_attn.flash_attn_with_kvcache = print\n"
                               "flash_attn.flash_attn_with_kvcache(1)\nflash_attn.flash_attn_func(1, 2, 3)\n")),
            "clean");
}

TEST_F(Providers, AreAskedForTheNamesThatTheyHave) {
  const auto passing = [](const std::string& rest) {
    return "import flash_attn\nfrom flash_attn import flash_attn_func\n" + rest +
           "def attend(q):\n    if NEW: return None\n    return flash_attn_func(q, q, q, softcap=1.0)\n";
  };
  const std::string with = "def flash_attn_with_kvcache(q): return q\n";
  for (const std::string& test :
       {std::string("NEW = hasattr(flash_attn, 'flash_attn_with_kvcache')\n"),
        std::string("NEW = getattr(flash_attn, 'flash_attn_with_kvcache', None) is not None\n"),
        "try:\n    " + import_both + "    NEW = True\nexcept ImportError:\n    NEW = False\n",
        std::string("try:\n    flash_attn.flash_attn_with_kvcache\n    NEW = True\nexcept AttributeError:\n"
                    "    NEW = False\n")}) {
    EXPECT_EQ(word_for(answer_of(package(""), passing(test))), "keyword-unknown") << test;
    EXPECT_NE(word_for(answer_of(package(with), passing(test))), "keyword-unknown") << test;
  }
}

TEST_F(Providers, MayHaveNamesThatNoStatementSays) {
  const auto word = [&](const std::string& init, const Files& more = {}) {
    Files files = package(init);
    files.insert(files.end(), more.begin(), more.end());
    return word_for(answer_of(files, "import flash_attn\n" + import_both + call));
  };
  EXPECT_EQ(word("try:\n    from .new import flash_attn_with_kvcache\nexcept ImportError: pass\n"), "clean");
  EXPECT_EQ(word("def __getattr__(name): return print\n"), "clean");
  EXPECT_EQ(word("globals().update(more())\n"), "clean");
  EXPECT_EQ(word("from other import *\n"), "clean");
  EXPECT_EQ(word("from .more import *\n", {{"flash_attn/more.py", "flash_attn_with_kvcache = print\n"}}), "clean");
  EXPECT_EQ(word("from .more import *\n", {{"flash_attn/more.py", "flash_attn_without = print\n"}}), "name-missing");
  EXPECT_EQ(word("", {{"flash_attn/flash_attn_with_kvcache.cpython-311-x86_64-linux-gnu.so", ""}}), "clean");
  EXPECT_EQ(word("", {{"flash_attn/flash_attn_with_kvcache/one.py", ""}}), "clean");
  EXPECT_EQ(word("", {{"flash_attn/more.py", "import flash_attn\nflash_attn.flash_attn_with_kvcache = print\n"}}),
            "clean");
}

// What a package hands on is not all that the modules below it define.
TEST_F(Providers, HandOnWhatTheyImport) {
  Files files = package("__version__ = '2.0.4'\ndef helper(x): return x\n");
  files[1].second += "def _flash_attn_forward(q): return q\n";
  EXPECT_EQ(word_for(answer_of(files, "from flash_attn import flash_attn_func\nflash_attn_func(1, 2, 3, soft=4)\n")),
            "wrong-call");
  const Answer inner = answer_of(files, "from flash_attn import _flash_attn_forward\n_flash_attn_forward(1)\n");
  EXPECT_EQ(cause_in(inner), "name-missing: flash_attn of flash-attn 2.0.4 has no name _flash_attn_forward");
  EXPECT_TRUE(inner.findings[0].cause->advice.starts_with(
      "take _flash_attn_forward from flash_attn.flash_attn_interface, which defines it"));
}

TEST_F(Providers, TellHowManyResultsThereAre) {
  const std::string version = "__version__ = '2.0.4'\n";
  const std::string extension =
      "def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, return_attn_probs=False):\n"
      "    return FlashAttnFunc.apply(q, k, v)\n";
  const auto word = [&](const std::string& init, const std::string& function, const std::string& caller) {
    return word_for(answer_of({{"flash_attn/__init__.py", init + "from .flash_attn_interface import flash_attn_func\n"},
                               {"flash_attn/flash_attn_interface.py", function}},
                              "from flash_attn import flash_attn_func\ndef attend(q):\n    " + caller + "\n"));
  };
  const char* const two = "out, lse = flash_attn_func(q, q, q, return_attn_probs=True)";
  const char* const three = "out, lse, s = flash_attn_func(q, q, q, return_attn_probs=True)";
  const char* const of_one = "out, lse = flash_attn_func(q, q, q)";
  const char* const one = "out = flash_attn_func(q, q, q)";
  const std::string by_flag =
      "def flash_attn_func(q, k, v, return_attn_probs=False):\n    out, lse, s = q, k, v\n"
      "    return (out, lse, s) if return_attn_probs else out\n";
  for (const std::string& init : {std::string(), version}) {
    EXPECT_EQ(word(init, by_flag, two), "wrong-call");
    EXPECT_EQ(word(init, by_flag, of_one), "wrong-call");
    EXPECT_EQ(word(init, by_flag, three), "clean");
    EXPECT_EQ(word(init, by_flag, one), "clean");
  }
  EXPECT_EQ(word(version, extension, two), "wrong-call") << "as the table knows this version";
  EXPECT_EQ(word(version, extension, three), "clean");
  EXPECT_EQ(word("", extension, two), "open");
  EXPECT_EQ(word("", extension, one), "clean");
}

}  // namespace
}  // namespace ropewalk::compat
