// Every release of TransformerEngine from 1.11 to 2.1 against every release of flash-attn 2: which pairs break and
// where. What is expected is written down here by hand, from the histories of both (issues TransformerEngine#1414 and
// #1467).
#include <gtest/gtest.h>

#include <set>

#include "lib/compat/check_compatibility.h"

namespace ropewalk::compat {
namespace {

using ProblemNames = std::set<std::string>;

PackageVersion version(const std::string& text) { return parse_version(text).value(); }

std::string in_words(const JudgedProblem& one) {
  const std::string side = one.call.function.ends_with("forward") ? "forward" : "backward";
  switch (one.problem.kind) {
    case CallProblem::Kind::MissingArgument:
      return side + " lacks " + one.problem.subject;
    case CallProblem::Kind::LseLayout:
      return side + " has another lse";
    default:
      return side + ": " + one.problem.text;
  }
}

struct Support {
  std::string first, last;
};
Support support_of(const std::string& caller) {
  if (caller == "1.11") return {"2.0.6", "2.6.3"};
  if (caller == "1.12" || caller == "1.13") return {"2.1.1", "2.6.3"};
  if (caller == "1.14" || caller == "2.0") return {"2.1.1", "2.7.3"};
  return {"2.1.1", "2.7.4.post1"};
}

ProblemNames expected(const std::string& caller, const PackageVersion& provider) {
  const bool knows_softcap = caller == "1.14" || caller == "2.0" || caller == "2.1";
  if (knows_softcap || provider < version("2.6.0")) return {};
  // In 2.6.2 the forward function got a default for softcap, the backward one did not.
  if (provider < version("2.6.2")) return {"forward lacks softcap", "backward lacks softcap"};
  if (caller == "1.11") return {"forward has another lse", "backward lacks softcap"};
  return {"backward lacks softcap"};
}

TEST(Matrix, EveryPairIsAsTheHistoriesSay) {
  u64 broken = 0, healthy = 0, unused = 0;
  const SignatureTable& table = shipped_signatures();
  for (const std::string& spec : shipped_callers()) {
    const std::string name = spec.substr(spec.find("==") + 2);
    const Support support = support_of(name);
    for (const PackageVersion& one : table.versions) {
      const Provider provider = table.at(one);
      const PairVerdict verdict = judge_pair(*load_caller(spec, provider), provider);
      const bool used = version(support.first) <= one && one <= version(support.last);
      EXPECT_EQ(verdict.calls > 0, used) << spec << " with " << one.text;
      EXPECT_TRUE(verdict.unknown.empty()) << spec << " with " << one.text;
      ProblemNames got;
      for (const JudgedProblem& problem : verdict.problems) got.insert(in_words(problem));
      EXPECT_EQ(got, used ? expected(name, one) : ProblemNames{}) << spec << " with " << one.text;
      ++(!used ? unused : got.empty() ? healthy : broken);
    }
  }
  EXPECT_EQ(broken, 15u);  // three releases, and five of flash-attn from 2.6.0 to 2.6.3
  EXPECT_GT(healthy, 150u);
  EXPECT_GT(unused, 50u);
}

// Positional calls of the backward function as they were right for one version, made of a later one.
struct Shift {
  const char* written_for;
  const char* version;
  const char* argument;
  const char* lands_in;
};

TEST(Matrix, PositionalCallsThatBindWithAnotherMeaning) {
  const SignatureTable& table = shipped_signatures();
  for (const Shift& shift :
       {Shift{"2.0.2", "2.3.0", "rng_state", "window_size"}, Shift{"2.2.5", "2.3.6", "rng_state", "window_size"},
        Shift{"2.3.0", "2.4.0", "rng_state", "alibi_slopes"}, Shift{"2.4.0", "2.4.1", "rng_state", "deterministic"},
        Shift{"2.5.8", "2.6.0", "alibi_slopes", "softcap"},
        Shift{"2.6.3", "2.7.0", "window_size", "window_size_left"}}) {
    for (const char* function : {"_flash_attn_backward", "_flash_attn_varlen_backward"}) {
      const Provider then = table.at(std::string(shift.written_for)), now = table.at(std::string(shift.version));
      Call call;
      call.function = function;
      const Signature& old = *then.find("", function);
      const Signature& current = *now.find("", function);
      for (const SignatureParameter& parameter : old.parameters) call.positional.push_back("ctx." + parameter.name);
      EXPECT_TRUE(judge_call(call, old, table.vocabulary(function)).empty());
      // Old calls leave out the last, rng_state, where it would be one too few otherwise.
      const std::vector<CallProblem> problems = judge_call(call, current, table.vocabulary(function));
      bool reported = false;
      for (const CallProblem& problem : problems) {
        EXPECT_EQ(problem.kind, CallProblem::Kind::OtherMeaning) << problem.text;
        reported =
            reported || (problem.subject == shift.lands_in && problem.text.find(shift.argument) != std::string::npos);
      }
      EXPECT_TRUE(reported) << function << " of " << shift.written_for << " with " << shift.version;
    }
  }
}

TEST(Matrix, ResultsOfAnOlderCallerAreOthersFrom27On) {
  const Provider provider = shipped_signatures().at(std::string("2.7.0"));
  Call call;
  call.function = "_flash_attn_varlen_forward";
  for (int n = 0; n < 10; ++n) call.positional.push_back("x");
  call.uses = {{4, "out", 1}, {5, "softmax_lse", 2}, {1, "q", 3}};
  const auto problems = judge_call(call, *provider.find("", call.function), {});
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].kind, CallProblem::Kind::ResultIndex);
  EXPECT_EQ(problems[1].kind, CallProblem::Kind::ResultIndex);
  EXPECT_EQ(problems[2].kind, CallProblem::Kind::ResultMeaning);
}

TEST(Matrix, TheFindingTellsWhatToDo) {
  const Provider provider = load_provider("flash-attn==2.6.3", "");
  const Answer answer = check_compatibility(*load_caller("transformer-engine==1.13", provider), provider);
  ASSERT_EQ(answer.findings.size(), 1u);
  const Finding& finding = answer.findings[0];
  EXPECT_EQ(finding.rule, Rule::SignatureMismatch);
  EXPECT_EQ(finding.message,
            "_flash_attn_varlen_backward of flash-attn 2.6.3 needs softcap, which this call does not give: TypeError");
  ASSERT_TRUE(finding.cause);
  EXPECT_EQ(finding.cause->id, "required-parameter-added");
  EXPECT_NE(finding.cause->text.find("since flash-attn 2.6.0"), std::string::npos) << finding.cause->text;
  EXPECT_NE(finding.cause->advice.find("2.1.1 to 2.5.9.post1"), std::string::npos) << finding.cause->advice;
  EXPECT_EQ(finding.location->file, "transformer_engine/pytorch/attention.py");
}

}  // namespace
}  // namespace ropewalk::compat
