#include "lib/compat/judge_call.h"

#include <gtest/gtest.h>

namespace ropewalk::compat {
namespace {

using Kind = CallProblem::Kind;

Signature signature(const std::string& parameters, std::vector<std::string> returns = {}) {
  Signature one;
  one.name = "f";
  one.parameters = read_signatures(read_python("a.py", "def f(" + std::string(parameters) + "): pass\n"))[0].parameters;
  one.returns = std::move(returns);
  return one;
}

// "kind:subject" of each problem.
std::vector<std::pair<Kind, std::string>> judged(const Call& call, const Signature& one,
                                                 const Vocabulary& vocabulary = {}) {
  std::vector<std::pair<Kind, std::string>> all;
  for (const CallProblem& problem : judge_call(call, one, vocabulary)) all.emplace_back(problem.kind, problem.subject);
  return all;
}
using Problems = std::vector<std::pair<Kind, std::string>>;

Call call(std::vector<std::string> positional, std::vector<std::string> keywords = {}) {
  Call one;
  one.function = "f";
  one.positional = std::move(positional);
  for (const std::string& name : keywords) one.keywords.push_back({name, name});
  return one;
}

TEST(JudgeCall, BindsAsPythonDoes) {
  EXPECT_EQ(judged(call({"a"}, {"b"}), signature("a, b, c=1")), Problems{});
  EXPECT_EQ(judged(call({"a"}), signature("a, b, c=1")), (Problems{{Kind::MissingArgument, "b"}}));
  EXPECT_EQ(judged(call({"a", "b"}, {"d"}), signature("a, b, c=1")), (Problems{{Kind::UnknownKeyword, "d"}}));
  EXPECT_EQ(judged(call({"1", "2", "3", "4"}), signature("a, b, c=1")), (Problems{{Kind::TooManyPositionals, "3"}}));
  EXPECT_EQ(judged(call({"1", "2"}, {"b"}), signature("a, b")), (Problems{{Kind::GivenTwice, "b"}}));
  EXPECT_EQ(judged(call({"1", "2", "3"}, {"z"}), signature("a, *rest, **more")), Problems{});
  EXPECT_EQ(judged(call({"1", "2"}), signature("a, *, b")), (Problems{{Kind::TooManyPositionals, "1"}}));
  EXPECT_EQ(judged(call({}, {"a"}), signature("a, /")), (Problems{{Kind::UnknownKeyword, "a"}}));
}

TEST(JudgeCall, WhatASourceDoesNotTellIsNotClaimed) {
  Call open = call({"a"});
  open.more_keywords = true;
  EXPECT_EQ(judged(open, signature("a, b")), Problems{});
  open.more_keywords = false;
  open.more_positional = true;
  EXPECT_EQ(judged(open, signature("a, b, *, c")), (Problems{{Kind::MissingArgument, "c"}}));
}

TEST(JudgeCall, ArgumentsThatLandElsewhereAreNamed) {
  const Vocabulary words = {{"causal", {0}}, {"window_size", {1}}, {"rng_state", {1, 2}}, {"alibi_slopes", {2}}};
  EXPECT_EQ(judged(call({"causal", "ctx.rng_state"}), signature("causal, window_size, rng_state=None"), words),
            (Problems{{Kind::OtherMeaning, "window_size"}}));
  EXPECT_EQ(judged(call({"causal", "window"}), signature("causal, window_size, rng_state=None"), words), Problems{});
  const Vocabulary letters = {{"q", {0}}, {"k", {1}}, {"v", {2}}};
  // One value for two parameters is no shift.
  EXPECT_EQ(judged(call({"q", "k", "k"}), signature("q, k, v"), letters), Problems{});
  EXPECT_EQ(judged(call({"q", "v", "k"}), signature("q, k, v"), letters),
            (Problems{{Kind::OtherMeaning, "k"}, {Kind::OtherMeaning, "v"}}));
}

// The caller's k is the cache; k was never a parameter at that position.
TEST(JudgeCall, NamesOfTheCallersOwnAreNoShift) {
  const Signature cached = signature("q, k_cache, v_cache, k=None, v=None");
  Vocabulary names;
  add_names(cached, names);
  EXPECT_EQ(judged(call({"q", "k", "v"}), cached, names), Problems{});
  EXPECT_EQ(judged(call({"q", "k", "v", "v_cache"}), cached, names),
            (Problems{{Kind::OtherMeaning, "k_cache"}, {Kind::OtherMeaning, "k"}}))
      << "k itself is given another argument";
  names["k"].insert(1);
  EXPECT_EQ(judged(call({"q", "k", "v"}), cached, names), (Problems{{Kind::OtherMeaning, "k_cache"}}));
}

TEST(JudgeCall, ResultsAreThoseThatAreMeant) {
  Call uses = call({});
  uses.uses = {{1, "softmax_lse_per_step", 7}};
  EXPECT_EQ(judged(uses, signature("", {"out", "softmax_lse"})), Problems{});
  EXPECT_EQ(judged(uses, signature("", {"softmax_lse", "out"})),
            (Problems{{Kind::ResultMeaning, "softmax_lse_per_step"}}));
  EXPECT_EQ(judged(uses, signature("", {"out"})), (Problems{{Kind::ResultIsNoTuple, "out"}}));
  uses.uses = {{5, "softmax_lse", 7}};
  EXPECT_EQ(judged(uses, signature("", {"out", "softmax_lse"})), (Problems{{Kind::ResultIndex, "5"}}));
  Call unpacks = call({});
  unpacks.unpacked = 8;
  EXPECT_EQ(judged(unpacks, signature("", {"out", "softmax_lse"})), (Problems{{Kind::ResultCount, "2"}}));
}

}  // namespace
}  // namespace ropewalk::compat
