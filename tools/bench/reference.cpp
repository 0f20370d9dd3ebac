#include <algorithm>

#include "lib/base/cores.h"
#include "lib/base/random.h"
#include "lib/base/stopwatch.h"
#include "lib/problem/attention.h"
#include "reference/attention.h"
#include "tools/bench/measure.h"

namespace ropewalk::tools {
namespace {

struct Gradient {
  std::vector<double> value, bound;
  explicit Gradient(u64 count) : value(count), bound(count) {}
  reference::ExpectedValues room() { return {value.data(), bound.data()}; }
};

std::vector<double> normals(u64 seed, u64 count) {
  std::vector<double> values(count);
  for (u64 n = 0; n < count; ++n) values[n] = double(float(random_normal(seed, n)));
  return values;
}

}  // namespace

ReferenceSpeed reference_speed(double seconds) {
  AttentionProblem problem;
  problem.heads = 8;
  problem.query_tokens = problem.key_tokens = 512;
  const u64 rows = u64(problem.heads * problem.query_tokens), elements = rows * u64(problem.head_dim);
  const std::vector<double> q = normals(1, elements), k = normals(2, elements), v = normals(3, elements),
                            out_gradient = normals(4, elements);
  const reference::AttentionInputs inputs{q.data(), k.data(), v.data()};
  Gradient out(elements), dq(elements), dk(elements), dv(elements), lse(rows), delta(rows);

  const auto forward = [&] { reference::attention_forward(problem, inputs, out.room(), lse.room()); };
  const auto both = [&] {
    reference::attention_saved(problem, inputs, out_gradient.data(), lse.value.data(), delta.value.data());
    reference::attention_backward(problem, inputs, out_gradient.data(), {lse.value.data(), delta.value.data()},
                                  {dq.room(), dk.room(), dv.room()});
  };
  // What others do on this machine only ever adds.
  double of_forward = 1e30, of_both = 1e30;
  const Stopwatch watch;
  do {
    Stopwatch one;
    forward();
    of_forward = std::min(of_forward, one.seconds());
    one = Stopwatch();
    both();
    of_both = std::min(of_both, one.seconds());
  } while (watch.seconds() < seconds);
  const double operations = 4.0 * double(rows) * double(problem.key_tokens) * double(problem.head_dim);
  return {threads_for(0), operations / of_forward, 3.5 * operations / of_both};
}

}  // namespace ropewalk::tools
