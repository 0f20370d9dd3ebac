// Relations hold for healthy kernels, and each is violated by a kernel that breaks it.
#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/campaign/relation.h"
#include "lib/compare/expect.h"
#include "lib/families/attention/attention_relations.h"
#include "lib/families/families.h"
#include "lib/families/rotary/rotary_relations.h"
#include "lib/generate/case_plan.h"
#include "lib/machine/machine.h"

namespace ropewalk::campaign {

using families::parse_problem;

namespace {

RunOptions one_thread() {
  RunOptions options;
  options.threads = 1;
  return options;
}

// What a relation says of the outputs of a kernel; a launch that `spoil` has changed stands for a faulty one.
u64 violations(const std::string& name, const Relation& relation, const Problem& problem, bool* applied,
               const std::function<void(const Launch&, Outcome&)>& spoil = {}) {
  const Kernel& kernel = kernels::kernel_named(name);
  const std::unique_ptr<Executor> executor = machine::make_machine();
  Launch launch = kernel.launch(problem);
  compare::expect_answer(kernel, problem, launch);
  Outcome outcome = executor->run(launch, one_thread());
  EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << text_of(problem);
  if (spoil) spoil(launch, outcome);
  const Trial trial{kernel, {}, problem, 0};
  const RelationScene scene(trial, launch, outcome, *executor, one_thread());
  if (!relation.applies(scene)) return 0;
  u64 wrong = 0;
  for (const LaunchTensor& tensor : launch.tensors) {
    if (!tensor.output) continue;
    const std::optional<compare::Judgement> judgement = relation.judge(scene, tensor.name);
    if (judgement && judgement->wrong) {
      ++wrong;
      if (!spoil) ADD_FAILURE() << relation.name << ": " << name << " " << text_of(problem);
    }
    EXPECT_TRUE(judgement) << relation.name;
    *applied |= judgement && judgement->compared > 0;
  }
  return wrong;
}

// Each relation holds for random problems of the kernels, and for some of `more` (kernel and problem), and compares
// something of more than `least` of them.
void expect_to_hold(const std::vector<Relation>& relations, const std::vector<std::string>& kernels, u64 least,
                    const std::vector<std::pair<std::string, std::string>>& more = {}) {
  for (const Relation& relation : relations) {
    u64 applied = 0;
    for (const auto& [name, text] : more) {
      bool here = false;
      violations(name, relation, parse_problem(text), &here);
      applied += here;
    }
    for (const std::string& name : kernels) {
      const generate::CasePlan plan(kernels::kernel_named(name), 11);
      for (u64 n = plan.first_random(); n < plan.first_random() + 60; ++n) {
        const generate::PlannedCase one = plan.at(n);
        if (one.flaw) continue;
        bool here = false;
        violations(name, relation, one.problem, &here);
        applied += here;
      }
    }
    EXPECT_GT(applied, least) << relation.name;
  }
}

TEST(Relations, hold_for_healthy_kernels) {
  expect_to_hold(rotary::rotary_relations(),
                 {"rotary/apply", "rotary/apply-general", "rotary/apply-steps", "rotary/qk", "rotary/cache"}, 20);
}

TEST(Relations, hold_for_healthy_attention) {
  expect_to_hold(attention::attention_relations(),
                 {"attention/forward", "attention/backward", "attention/decode", "attention/merge"}, 0,
                 {{"attention/decode", "attention(B=2,Tq=2,Tk=6,H=4,D=16,key_heads=2,key_lengths=[3,6],seed=1)"}});
}

TEST(Relations, hold_for_healthy_rings) {
  expect_to_hold(attention::ring_relations(), {"attention/ring", "attention/ring-backward"}, 5);
}

// Of one rank's outputs by the problem's seed; two seeds are two ranks.
TEST(Relations, of_rings_see_one_wrong_element) {
  const auto spoil = [](const Launch& launch, Outcome& outcome) {
    for (u32 n = 0; n < launch.tensors.size(); ++n) {
      if (!launch.tensors[n].output) continue;
      float* const values = reinterpret_cast<float*>(const_cast<std::byte*>(outcome.tensors[n].bytes));
      values[1] = values[1] * 1.01f + 0.01f;
    }
  };
  for (const Relation& relation : attention::ring_relations()) {
    for (const char* seed : {"1", "2"}) {
      const std::string text =
          std::string("attention(Tq=8,Tk=8,H=2,D=8,causal=bottom-right,ranks=2,zigzag=true,seed=") + seed;
      bool applied = false;
      EXPECT_EQ(violations("attention/ring", relation, parse_problem(text + ")"), &applied, spoil), 2u)
          << relation.name;
    }
  }
}

// A dropped tile, the last one's values and the like: outputs that depend on what they must not.
TEST(Relations, see_outputs_of_another_problem) {
  const auto spoil = [](const Launch& launch, Outcome& outcome) {
    for (u32 n = 0; n < launch.tensors.size(); ++n) {
      if (!launch.tensors[n].output) continue;
      // The last element is changed by a part in a hundred.
      const u64 last = u64(element_count(launch.tensors[n].shape)) - 1;
      float* const values = reinterpret_cast<float*>(const_cast<std::byte*>(outcome.tensors[n].bytes));
      values[last] = values[last] * 1.01f + 0.01f;
      values[0] = values[0] * 1.01f + 0.01f;
    }
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"attention/forward", "attention(B=2,Tq=6,Tk=6,H=4,D=8,key_heads=2,causal=top-left)"},
      {"attention/forward", "attention(Tq=9,Tk=9,H=2,D=8,cu_seqlens_q=[0,4,9],cu_seqlens_k=[0,5,9])"},
      {"attention/backward", "attention(B=2,Tq=6,Tk=6,H=4,D=8,key_heads=2)"},
      {"attention/decode", "attention(B=2,Tq=2,Tk=9,H=2,D=8,page_size=4)"},
      {"attention/decode", "attention(B=2,Tq=2,Tk=9,H=2,D=8,key_lengths=[4,9])"},
      {"attention/decode", "attention(Tq=2,Tk=9,H=2,D=8,splits=2,page_size=1)"},
      {"attention/merge", "attention(Tq=2,Tk=9,H=2,D=8,splits=3)"}};
  for (const Relation& relation : attention::attention_relations()) {
    u64 seen = 0;
    for (const auto& [name, text] : cases) {
      bool applied = false;
      seen += violations(name, relation, parse_problem(text), &applied, spoil);
    }
    EXPECT_GT(seen, 0u) << relation.name;
  }
}

// One element in the middle of an output is changed by a part in a thousand.
TEST(Relations, see_one_wrong_element) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rotary/apply", "rotary(B=3,T=4,H=3,D=16,rotary_dim=8)"},
      {"rotary/apply", "rotary(T=9,H=2,D=16,cu_seqlens=[0,4,9])"},
      {"rotary/qk", "rotary(T=5,H=3,D=16,key_heads=2)"},
      {"rotary/cache", "rotary(T=20,D=16)"}};
  const auto spoil = [](u64 column) {
    return [column](const Launch& launch, Outcome& outcome) {
      for (u32 n = 0; n < launch.tensors.size(); ++n) {
        if (!launch.tensors[n].output) continue;
        auto* values = reinterpret_cast<float*>(const_cast<std::byte*>(outcome.tensors[n].bytes));
        values[3 * launch.tensors[n].shape.back() + i64(column)] *= 1.001f;
        return;
      }
    };
  };
  for (const Relation& relation : rotary::rotary_relations()) {
    u64 seen = 0;
    for (const auto& [name, text] : cases) {
      for (const u64 column : {3, 12}) {
        bool applied = false;
        if (name == "rotary/cache" && column > 7) continue;
        seen += violations(name, relation, parse_problem(text), &applied, spoil(column));
      }
    }
    EXPECT_GT(seen, 0u) << relation.name << " sees nothing";
  }
}

}  // namespace
}  // namespace ropewalk::campaign
