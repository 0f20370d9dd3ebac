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

}  // namespace
}  // namespace ropewalk::compat
