// Outputs that are wrong as a known misreading makes them, put together by the reference, and outputs that are wrong as
// none does.
#include <gtest/gtest.h>

#include <cstring>

#include "kernels/kernels.h"
#include "lib/base/half.h"
#include "lib/compare/expect.h"
#include "lib/families/rotary/rotation.h"
#include "lib/problem/rotary.h"
#include "tests/lib/diagnose/mismatch_cause.h"

namespace ropewalk::diagnose {

using rotary::Rotation;

namespace {

// A healthy launch that left `values` in its output.
struct Ended {
  Launch launch;
  Problem problem;
  u32 output = 0;
  std::vector<std::byte> bytes;

  explicit Ended(const std::string& text, const char* kernel = "rotary/apply-general")
      : problem(families::parse_problem(text)) {
    launch = kernels::kernel_named(kernel).launch(problem);
    EXPECT_EQ(compare::expect_answer(kernels::kernel_named(kernel), problem, launch), "");
    output = launch.expectations.front().tensor;
  }

  const RotaryProblem& rotary() const { return problem.get<RotaryProblem>(); }
  const LaunchTensor& tensor() const { return launch.tensors[output]; }
  Rotation rotation() const { return *rotary::rotation_of(tensor(), rotary(), launch); }

  void hold(const std::vector<double>& values) {
    const u32 size = size_of(tensor().dtype);
    bytes.assign(values.size() * size, std::byte{});
    for (u64 n = 0; n < values.size(); ++n) {
      const float value = float(values[n]);
      const u16 half = f32_to_bf16(value);
      std::memcpy(&bytes[n * size], size == 4 ? static_cast<const void*>(&value) : &half, size);
    }
  }

  // The cause of the mismatch; "none": the output is right, "": it has no cause.
  std::string cause() {
    Outcome outcome;
    outcome.tensors.resize(launch.tensors.size());
    outcome.tensors[output].bytes = bytes.data();
    return mismatch_cause(launch, problem, launch.expectations.front(), outcome);
  }
};

constexpr const char* problem_with_everything = "rotary(B=2,T=5,H=2,D=16,rotary_dim=8,offsets=[3,7],cache_rows=40)";

std::string cause_of(const std::string& problem, void (*misread)(Rotation&)) {
  Ended ended(problem);
  Rotation rotation = ended.rotation();
  misread(rotation);
  ended.hold(rotation.expected().value);
  return ended.cause();
}

TEST(WrongOutput, ReadAsAskedIsNoFinding) {
  EXPECT_EQ(cause_of(problem_with_everything, [](Rotation&) {}), "none");
}

TEST(WrongOutput, TheOtherLayout) {
  for (const char* problem : {problem_with_everything, "rotary(T=3,D=16,layout=interleaved)",
                              "rotary(T=9,cu_seqlens=[0,4,9],D=8,dtype=bf16)"}) {
    EXPECT_EQ(cause_of(problem,
                       [](Rotation& r) {
                         r.problem.layout =
                             r.problem.layout == RotaryLayout::Half ? RotaryLayout::Interleaved : RotaryLayout::Half;
                       }),
              "layout-mixup")
        << problem;
  }
}

TEST(WrongOutput, SignAndTables) {
  EXPECT_EQ(cause_of(problem_with_everything, [](Rotation& r) { r.problem.backward = true; }), "sin-sign");
  EXPECT_EQ(cause_of(problem_with_everything, [](Rotation& r) { std::swap(r.cosine, r.sine); }), "cos-sin-swapped");
}

TEST(WrongOutput, Roundings) {
  const auto other = [](Rotation& r) {
    const bool once = r.problem.rounding == RotaryRounding::Once;
    r.problem.rounding = once ? RotaryRounding::Steps : RotaryRounding::Once;
  };
  EXPECT_EQ(cause_of("rotary(T=3,D=16,dtype=bf16)", other), "steps-rounded");
}

TEST(WrongOutput, Positions) {
  EXPECT_EQ(cause_of(problem_with_everything,
                     [](Rotation& r) {
                       for (u64 n = 0; n < 10; ++n) r.positions[n] = i64(n % 5);
                     }),
            "position-ignored");
  EXPECT_EQ(cause_of(problem_with_everything,
                     [](Rotation& r) {
                       for (u64 n = 0; n < 10; ++n) r.positions[n] += n < 5 ? 3 : 7;
                     }),
            "offset-doubled");
  EXPECT_EQ(cause_of(problem_with_everything,
                     [](Rotation& r) {
                       for (u64 n = 5; n < 10; ++n) r.positions[n] -= 4;
                     }),
            "offset-of-another-sequence");
  EXPECT_EQ(cause_of("rotary(B=2,T=5,H=2,D=16,cache_rows=40)",
                     [](Rotation& r) {
                       for (u64 n = 0; n < 10; ++n) r.positions[n] = i64(n);
                     }),
            "position-not-restarted");
  EXPECT_EQ(cause_of("rotary(T=5,H=2,D=16,offset=9,cache_rows=40)",
                     [](Rotation& r) {
                       for (i64& position : r.positions) position += 1;
                     }),
            "position-shift");
  EXPECT_EQ(cause_of("rotary(T=12,H=2,D=16,offset=4)",
                     [](Rotation& r) {
                       for (u64 n = 0; n < 12; ++n) r.positions[n] = i64(n) - 4;
                     }),
            "position-negated");
}

TEST(WrongOutput, RowsOfTheTablesAreTakenToBeWider) {
  EXPECT_EQ(cause_of("rotary(T=5,H=2,D=16,rotary_dim=8,cache_rows=40)",
                     [](Rotation& r) {
                       for (std::vector<double>* table : {&r.cosine, &r.sine}) {
                         const std::vector<double> flat = *table;
                         for (u64 n = 0; n < 40; ++n) (*table)[n] = flat[n / 4 * 8 + n % 4];
                       }
                     }),
            "wrong-stride");
}

// Many ways to be wrong that none of the hypotheses explains.
TEST(WrongOutput, AnythingElseHasNoCause) {
  for (u64 wrong = 0; wrong < 40; ++wrong) {
    Ended ended(problem_with_everything);
    std::vector<double> values = ended.rotation().expected().value;
    values[(wrong * 37) % values.size()] += 0.5;
    ended.hold(values);
    EXPECT_EQ(ended.cause(), "") << wrong;
  }
  // Half of the rows in the other layout, and all of it a little off.
  Ended half(problem_with_everything);
  std::vector<double> values = half.rotation().expected().value;
  Rotation other = half.rotation();
  other.problem.layout = RotaryLayout::Interleaved;
  const std::vector<double> rotated = other.expected().value;
  std::copy_n(rotated.begin(), i64(values.size()) / 2, values.begin());
  half.hold(values);
  EXPECT_EQ(half.cause(), "");
  values = rotated;
  for (double& value : values) value *= 1.001;
  half.hold(values);
  EXPECT_EQ(half.cause(), "");
}

TEST(WrongOutput, TwoHypothesesThatCannotBeDistinguishedAreNoCause) {
  Ended ended("rotary(T=1,H=1,D=2,offset=4,cache_rows=9)");
  Rotation rotation = ended.rotation();
  rotation.positions = {8};  // the offset twice, or rows of two columns
  ended.hold(rotation.expected().value);
  EXPECT_EQ(ended.cause(), "");
  Ended pair("rotary(T=3,H=1,D=2)");
  Rotation backward = pair.rotation();
  backward.problem.backward = true;
  pair.hold(backward.expected().value);
  EXPECT_EQ(pair.cause(), "sin-sign");
}

TEST(WrongOutput, TablesThatAreBuiltWrong) {
  const auto cause = [](const char* right, const char* wrong) {
    Ended ended(right, "rotary/cache"), other(wrong, "rotary/cache");
    const Array& values = *other.launch.expectations.front().values;
    std::vector<double> held;
    for (i64 n = 0; n < element_count(ended.tensor().shape); ++n) held.push_back(values.at(n));
    ended.hold(held);
    return ended.cause();
  };
  EXPECT_EQ(cause("rotary(T=40,D=16)", "rotary(T=40,D=16)"), "none");
  EXPECT_EQ(cause("rotary(T=40,D=16)", "rotary(T=40,D=16,theta=500000)"), "wrong-theta");
  EXPECT_EQ(cause("rotary(T=40,D=16)", "rotary(T=40,D=16,theta=20000)"), "");
}

}  // namespace
}  // namespace ropewalk::diagnose
