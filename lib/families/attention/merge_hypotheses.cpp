#include <fmt/format.h>

#include "lib/compare/elements.h"
#include "lib/diagnose/output_hypothesis.h"
#include "lib/problem/attention.h"
#include "reference/attention_parts.h"

namespace ropewalk::attention {

using diagnose::Expected;

namespace {

using Weights = reference::MergeHypothesis::Weights;

// A merge as it is given, and how it is read.
struct MergeCase {
  AttentionProblem problem;
  std::vector<double> out_parts, lse_parts, sinks;  // no sinks: none
  reference::MergeHypothesis hypothesis;

  Expected expected(bool of_lse) const {
    const i64 rows = problem.batch * problem.query_tokens * problem.heads;
    Expected out = Expected::of_size(rows * problem.columns_of_values()), lse = Expected::of_size(rows);
    reference::attention_merge(problem, out_parts.data(), lse_parts.data(), sinks.empty() ? nullptr : sinks.data(),
                               hypothesis, {out.value.data(), out.bound.data()}, {lse.value.data(), lse.bound.data()});
    return of_lse ? lse : out;
  }
};

class Drafts {
 public:
  Drafts(MergeCase right, bool of_lse) : right_(std::move(right)), of_lse_(of_lse) {}

  std::vector<diagnose::OutputHypothesis> all() {
    of_weights();
    of_empty_parts();
    if (!right_.sinks.empty()) {
      MergeCase read = right_;
      read.sinks.clear();
      add("sink-missing", "the sink is left out of the merge", "add exp(sink - largest) to the sum of weights", read);
    }
    const i64 splits = right_.problem.splits;
    if (splits > 1) dropped(splits - 1, fmt::format("the last of {} parts is left out", splits));
    for (const i64 lanes : {16, 32, 64}) {
      if (splits > lanes + 1)
        dropped(lanes, fmt::format("of {} parts those behind the first {} are left out", splits, lanes));
    }
    return std::move(hypotheses_);
  }

 private:
  void add(const std::string& cause, const std::string& text, const std::string& advice, const MergeCase& read) {
    hypotheses_.push_back({cause, text, advice, read.expected(of_lse_)});
  }

  void dropped(i64 kept, const std::string& text) {
    MergeCase read = right_;
    read.problem.splits = kept;
    add("split-dropped", text, "go through all parts, however many there are", read);
  }

  void of_weights() {
    const char* const advice = "a part's weight is exp(lse of the part - lse), with lse = log of the sum of exp(lse)";
    const auto weights = [&](const char* cause, const char* text, Weights taken) {
      MergeCase read = right_;
      read.hypothesis.weights = taken;
      add(cause, text, advice, read);
    };
    weights("merge-weights", "all parts have the same weight", Weights::Equal);
    weights("merge-weights", "parts are added up without weights", Weights::Ones);
    weights("lse-base", "lse of the parts is taken to be in base 2", Weights::OfBaseTwo);
  }

  void of_empty_parts() {
    MergeCase counted = right_;
    counted.hypothesis.counts_empty = true;
    add("empty-split", "a part without keys, lse = -inf, is counted as if its lse were 0",
        "a part whose lse is -inf has a weight of 0, whatever its out holds", counted);
    MergeCase none = right_;
    none.hypothesis.none_is_nan = true;
    add("masked-nan", "rows that see no key in any part become NaN: -inf - -inf",
        "where every lse is -inf, out = 0 and lse = -inf", none);
  }

  const MergeCase right_;
  const bool of_lse_;
  std::vector<diagnose::OutputHypothesis> hypotheses_;
};

}  // namespace

std::vector<diagnose::OutputHypothesis> merge_hypotheses(const LaunchTensor& output, const AttentionProblem& problem,
                                                         const diagnose::Scene& scene) {
  MergeCase right{problem, {}, {}, {}, {}};
  const auto read = [&](const char* name, std::vector<double>& into) {
    const i64 number = scene.launch.tensor_named(name);
    if (number >= 0) into = compare::initial_values(scene.launch.tensors[u64(number)]);
    return number >= 0;
  };
  if (!read("out_partial", right.out_parts) || !read("lse_partial", right.lse_parts)) return {};
  read("sinks", right.sinks);
  if (output.name != "out" && output.name != "lse") return {};
  return Drafts(std::move(right), output.name == "lse").all();
}

}  // namespace ropewalk::attention
