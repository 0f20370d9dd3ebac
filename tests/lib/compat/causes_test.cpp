// What the causes of problems say of versions.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Causes : public CallerSources {
 protected:
  // A call of flash_attn_func, or of another function, in a function that has its names as parameters.
  static std::string calling(const std::string& arguments, const std::string& function = "flash_attn_func") {
    return "from flash_attn.flash_attn_interface import " + function +
           "\ndef attend(q, k, v, c, m, qkv, scale, window_size, alibi_slopes, deterministic, causal):\n    return " +
           function + "(" + arguments + ")\n";
  }
  // "cause: text" of the one finding, or "clean".
  std::string cause(const std::string& version, const std::string& source) {
    const Answer one = answer(version, {{"a.py", source}});
    if (one.findings.empty()) return one.not_judged.empty() ? "clean" : "open";
    evidence = one.findings[0].cause->evidence;
    return one.findings[0].cause->id + ": " + one.findings[0].cause->text;
  }
  bool is_evidence(const std::string& line) const {
    return std::find(evidence.begin(), evidence.end(), line) != evidence.end();
  }
  std::vector<std::string> evidence;
};

TEST_F(Causes, ACallThatNoVersionTakesIsWrittenForNone) {
  const std::string none = "wrong-call: no version of flash-attn from 2.0.0 to 2.8.3.post2 takes this call";
  for (const auto& [wrong, right] : std::vector<std::pair<const char*, const char*>>{
           {"q, k", "q, k, v"},
           {"q, k, v, k=k", "q, k, v=v"},
           {"q, k, v, 0.0, scale, causal, window_size, 0.0, alibi_slopes, False, False, 1",
            "q, k, v, 0.0, scale, causal, window_size, 0.0, alibi_slopes, False, False"},
           {"q, v, k", "q, k, v"},
           {"q, k, v, window_size=True", "q, k, v, window_size=(-1, 0)"},
           {"q, k, v, window_size=None", "q, k, v, window_size=window_size or (-1, -1)"},
           {"q, k, v, dropout_p=None", "q, k, v, dropout_p=0"},
           {"q, k, v, True", "q, k, v, dropout_p=True"},
           {"q, k, v, causal='yes'", "q, k, v, causal=1"}}) {
    EXPECT_EQ(cause("2.6.3", calling(wrong)), none) << wrong;
    EXPECT_EQ(cause("2.6.3", calling(right)), "clean") << right;
  }
  EXPECT_EQ(
      cause("2.6.3", calling("q, k, v, soft_cap=1.0")),
      "wrong-call: soft_cap is no parameter of flash_attn_func in flash-attn 2.6.3, nor in any version from 2.0.0 to "
      "2.8.3.post2");
  EXPECT_EQ(cause("2.6.3", calling("qkv, c, c, m, causal=True, cu_seqlens=c", "flash_attn_varlen_qkvpacked_func")),
            none);
  EXPECT_EQ(cause("2.6.3", calling("q, k", "flash_attn_with_kvcache")),
            "wrong-call: no version of flash-attn from 2.2.0 to 2.8.3.post2 takes this call");
}

TEST_F(Causes, AVersionThatTakesTheCallIsEvidence) {
  const std::string counted = "q, k, v, 0.0, scale, causal, window_size, alibi_slopes";
  EXPECT_EQ(
      cause("2.6.3", calling(counted)),
      "parameter-inserted: softcap stands at this position of flash_attn_func since flash-attn 2.6.0; the call counts "
      "the positions of another version");
  EXPECT_TRUE(is_evidence("the call fits flash-attn 2.4.0 to 2.5.9.post1"));
  EXPECT_EQ(cause("2.5.6", calling(counted)), "clean");
  EXPECT_EQ(
      cause("2.3.6", calling(counted)),
      "parameter-inserted: return_attn_probs stands at this position of flash_attn_func since flash-attn 2.3.0; the "
      "call counts the positions of another version");
  EXPECT_EQ(
      cause("2.4.0", calling(counted + ", deterministic, False")),
      "too-many-positionals: flash_attn_func of flash-attn 2.4.0 has fewer positional parameters than the call gives; "
      "the call is written for another version");
  EXPECT_TRUE(is_evidence("the call fits flash-attn 2.4.1 to 2.5.9.post1"));
  EXPECT_EQ(cause("2.4.1", calling(counted + ", deterministic, False")), "clean");
}

TEST_F(Causes, SlopesAreKnownByOtherNames) {
  const std::string before = "q, k, v, 0.0, scale, causal, window_size, ";
  for (const char* name : {"slopes", "alibi", "self.slopes", "head_slopes"}) {
    EXPECT_EQ(cause("2.6.3", calling(before + name)),
              "parameter-inserted: softcap stands at this position of flash_attn_func since flash-attn 2.6.0; the call "
              "counts the positions of another version")
        << name;
    EXPECT_EQ(cause("2.5.6", calling(before + name)), "clean") << name;
    EXPECT_EQ(cause("2.6.3", calling(before + "0.0, " + name)), "clean") << name;
  }
  EXPECT_EQ(cause("2.6.3", calling(before + "cap")), "clean");
}

TEST_F(Causes, ALiteralThatAParameterCannotBeIsFound) {
  const char* const varlen = "flash_attn_varlen_func";
  const std::string old = "q, k, v, c, c, m, m, 0.0, scale, True, ";
  EXPECT_EQ(
      cause("2.3.0", calling(old + "True", varlen)),
      "parameter-inserted: window_size stands at this position of flash_attn_varlen_func since flash-attn 2.3.0; the "
      "call counts the positions of another version");
  EXPECT_TRUE(is_evidence("the call fits flash-attn 2.0.0 to 2.2.5"));
  EXPECT_EQ(cause("2.2.5", calling(old + "True", varlen)), "clean");
  EXPECT_EQ(cause("2.3.0", calling(old + "(-1, 0), True", varlen)), "clean");
  // None for alibi_slopes lands in softcap.
  EXPECT_EQ(cause("2.6.0", calling("q, k, v, 0.0, None, True, (-1, -1), None, False")).substr(0, 60),
            "parameter-inserted: softcap stands at this position of flash");
  EXPECT_EQ(cause("2.5.9.post1", calling("q, k, v, 0.0, None, True, (-1, -1), None, False")), "clean");
  EXPECT_EQ(cause("2.6.0", calling("q, k, v, 0.0, None, True, (-1, -1), 0.0, None, False")), "clean");
  // So does False for deterministic, whatever the slopes are called.
  EXPECT_EQ(cause("2.6.0", calling("q, k, v, 0.0, None, True, (-1, -1), bias, False, False")).substr(0, 66),
            "parameter-inserted: alibi_slopes stands at this position of flash_");
  EXPECT_EQ(cause("2.5.9.post1", calling("q, k, v, 0.0, None, True, (-1, -1), slopes, False, False")), "clean");
  EXPECT_EQ(cause("2.6.0", calling("q, k, v, 0.0, None, True, (-1, -1), 0.0, slopes, False, False")), "clean");
  // A pair that lands in a flag.
  EXPECT_EQ(cause("2.2.5", calling("q, k, v, 0.0, None, True, (64, 0)")).substr(0, 18), "parameter-inserted");
  EXPECT_EQ(cause("2.3.0", calling("q, k, v, 0.0, None, True, (64, 0)")), "clean");
}

TEST_F(Causes, AKeywordHasItsHistory) {
  EXPECT_EQ(cause("2.5.6", calling("q, k, v, softcap=1.0")),
            "keyword-unknown: softcap is a parameter of flash_attn_func since flash-attn 2.6.0, and none in flash-attn "
            "2.5.6; the call is written for a later version");
  EXPECT_TRUE(is_evidence("the call fits flash-attn 2.6.0 to 2.8.3.post2"));
  EXPECT_EQ(
      cause("2.5.6", calling("q, k, softcap=1.0")),
      "keyword-unknown: softcap is a parameter of flash_attn_func since flash-attn 2.6.0, and none in flash-attn 2.5.6")
      << "no version takes it without v";
  EXPECT_EQ(
      cause("2.7.3", calling("q, k, v, 0.0, scale, True, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, "
                             "return_softmax=False",
                             "_flash_attn_forward")),
      "parameter-removed: window_size was a parameter of _flash_attn_forward up to flash-attn 2.6.3, and is none in "
      "flash-attn 2.7.3; the call is written for another version");
  EXPECT_EQ(cause("2.6.3", calling("q, k, v, 0.0, scale, True, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, "
                                   "return_softmax=False",
                                   "_flash_attn_forward")),
            "clean");
}

TEST_F(Causes, TextsAreLiteralsOnlyAsAWhole) {
  for (const auto& [text, kind] :
       std::vector<std::pair<const char*, ValueKind>>{{"(-1, -1)", ValueKind::Pair},
                                                      {"[1, 2]", ValueKind::Pair},
                                                      {"(a + b) * (c, d)[0]", ValueKind::Any},
                                                      {"(a + b)", ValueKind::Any},
                                                      {"-0.5", ValueKind::Number},
                                                      {"1e-05", ValueKind::Number},
                                                      {"x", ValueKind::Any},
                                                      {"None", ValueKind::None},
                                                      {"'a' + 'b'", ValueKind::Any},
                                                      {"'a'", ValueKind::Text},
                                                      {"f(1, 2)", ValueKind::Any},
                                                      {"", ValueKind::Any}}) {
    EXPECT_EQ(value_kind_of(text), kind) << text;
  }
}

// The last one is missing because another one stands before it now.
TEST_F(Causes, AnArgumentThatIsDisplacedIsNotTheOneThatIsMissing) {
  const char* const backward = "_flash_attn_backward";
  const std::string counted = "q, q, k, v, q, c, q, k, v, 0.0, scale, True, (-1, -1), ";
  for (const char* rest : {"None, False", "alibi_slopes, deterministic"}) {
    EXPECT_EQ(cause("2.6.3", calling(counted + rest, backward)),
              "parameter-inserted: softcap stands at this position of _flash_attn_backward since flash-attn 2.6.0; the "
              "call counts the positions of another version");
    EXPECT_TRUE(is_evidence("the call fits flash-attn 2.4.1 to 2.5.9.post1"));
    EXPECT_EQ(cause("2.5.6", calling(counted + rest, backward)), "clean");
  }
  EXPECT_EQ(cause("2.6.3", calling(counted + "0.0, None, False", backward)), "clean");
  EXPECT_EQ(cause("2.4.1", calling(counted + "None", backward)).substr(0, 24), "required-parameter-added");
  EXPECT_EQ(cause("2.4.0", calling(counted + "None", backward)), "clean");
}

TEST_F(Causes, ATensorIsNoLiteralButNone) {
  for (const char* arguments :
       {"q, k, v, alibi_slopes=0.5", "q, k, v, alibi_slopes=True", "q, k, v, alibi_slopes=(1, 2)"}) {
    EXPECT_EQ(cause("2.5.6", calling(arguments)).substr(0, 10), "wrong-call") << arguments;
  }
  for (const char* arguments : {"q, k, v, alibi_slopes=None", "q, k, v, alibi_slopes=alibi_slopes"}) {
    EXPECT_EQ(cause("2.5.6", calling(arguments)), "clean") << arguments;
  }
  // softcap is the eighth since 2.6.0.
  const std::string counted = "q, k, v, 0.0, None, True, (-1, -1), 0.0, None, False";
  EXPECT_EQ(
      cause("2.5.6", calling(counted)),
      "parameter-inserted: alibi_slopes stands at this position of flash_attn_func since flash-attn 2.4.0; the call "
      "counts the positions of another version");
  EXPECT_EQ(cause("2.6.3", calling(counted)), "clean");
}

TEST_F(Causes, WhatFitsTakesTheResultsAsWell) {
  const std::string call =
      "(q=q, k=k, v=v, cu_seqlens_q=c, cu_seqlens_k=c, max_seqlen_q=m, max_seqlen_k=m, softmax_scale=scale, "
      "causal=True, "
      "dropout_p=0.0)\n";
  const std::string text =
      "from flash_attn.flash_attn_interface import _flash_attn_varlen_forward\n"
      "def attend(q, k, v, c, m, scale):\n    TARGETS = _flash_attn_varlen_forward" +
      call;
  const auto taking = [&](const std::string& targets) {
    return std::string(text).replace(text.find("TARGETS"), 7, targets);
  };
  EXPECT_NE(cause("2.5.6", taking("out, lse, _, _")), "clean");
  EXPECT_TRUE(is_evidence("the call fits flash-attn 2.7.0 to 2.8.3.post2"));
  EXPECT_NE(cause("2.5.6", taking("out")), "clean");
  EXPECT_TRUE(is_evidence("the call fits flash-attn 2.6.2 to 2.8.3.post2"));
}

}  // namespace
}  // namespace ropewalk::compat
