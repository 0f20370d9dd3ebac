#include "lib/families/attention/expect_ring.h"

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "lib/compare/ring_tensors.h"
#include "reference/attention.h"
#include "reference/merged_parts.h"

namespace ropewalk::attention {
namespace {

// An output of the whole sequence.
struct Whole {
  std::vector<double> value, bound;

  explicit Whole(u64 count) : value(count), bound(count) {}
  reference::ExpectedValues into() { return {value.data(), bound.data()}; }
};

class RingAnswer {
 public:
  RingAnswer(const AttentionProblem& problem, Launch& launch)
      : problem_(problem), launch_(launch), q_(whole("q")), k_(whole("k")), v_(whole("v")) {
    if (problem.alibi) slopes_ = compare::initial_values(compare::tensor_of(launch, "slopes"));
    if (problem.sink) sinks_ = compare::initial_values(compare::tensor_of(launch, "sinks"));
    inputs_ = {q_.data(),
               k_.data(),
               v_.data(),
               problem.alibi ? slopes_.data() : nullptr,
               problem.sink ? sinks_.data() : nullptr,
               {}};
  }

  void forward() {
    Whole out(rows() * u64(problem_.columns_of_values())), lse(rows());
    reference::attention_forward(problem_, inputs_, out.into(), lse.into());
    reference::widen_by_merging(problem_, problem_.ranks, v_.data(), out.into(), lse.into());
    expect("out", out);
    expect("lse", lse);
  }

  // Sums of gradients go over all ranks in f32, in another order than without a ring, which the bound leaves open.
  void backward() {
    const std::vector<double> dout = whole("dout");
    std::vector<double> lse(rows()), delta(rows());
    reference::attention_saved(problem_, inputs_, dout.data(), lse.data(), delta.data());
    lse = fill_in("lse", lse);
    delta = fill_in("delta", delta);
    Whole dq(q_.size()), dk(k_.size()), dv(v_.size());
    reference::attention_backward(problem_, inputs_, dout.data(), {lse.data(), delta.data()},
                                  {dq.into(), dk.into(), dv.into()});
    expect("dq", dq);
    expect("dk", dk);
    expect("dv", dv);
  }

 private:
  // Of q, of all heads.
  u64 rows() const { return u64((problem_.varlen() ? 1 : problem_.batch) * problem_.query_tokens * problem_.heads); }
  std::vector<double> whole(const char* tensor) const { return positions_.whole_values(launch_, tensor); }
  std::vector<u64> elements(const std::string& part, i64 rank) const {
    return positions_.elements(compare::tensor_of(launch_, part.c_str()).shape, rank);
  }

  // What the ranks then hold of it.
  std::vector<double> fill_in(const char* tensor, const std::vector<double>& values) {
    for (i64 rank = 0; rank < problem_.ranks; ++rank) {
      const std::string name = compare::name_of_rank(tensor, rank);
      std::vector<double> own;
      for (const u64 element : elements(name, rank)) own.push_back(values[element]);
      LaunchTensor& part = launch_.tensors[u64(launch_.tensor_named(name))];
      part.init = Given{std::make_shared<Array>(Array::of(Dtype::F32, part.shape, own)), ""};
    }
    return whole(tensor);
  }

  void expect(const char* tensor, const Whole& all) {
    for (i64 rank = 0; rank < problem_.ranks; ++rank) {
      const std::string name = compare::name_of_rank(tensor, rank);
      const std::vector<u64> from = elements(name, rank);
      compare::expect_of(launch_, name.c_str(), [&](reference::ExpectedValues part) {
        for (u64 n = 0; n < from.size(); ++n) {
          part.value[n] = all.value[from[n]];
          part.bound[n] = all.bound[from[n]];
        }
      });
    }
  }

  const AttentionProblem& problem_;
  Launch& launch_;
  const compare::RingPositions positions_{problem_};
  const std::vector<double> q_, k_, v_;
  std::vector<double> slopes_, sinks_;
  reference::AttentionInputs inputs_;
};

}  // namespace

void expect_ring_answer(const AttentionProblem& problem, Launch& launch) {
  RingAnswer answer(problem, launch);
  if (compare::is_backward(launch)) {
    answer.backward();
  } else {
    answer.forward();
  }
}

}  // namespace ropewalk::attention
