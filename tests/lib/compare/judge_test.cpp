#include "lib/compare/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "lib/base/bits.h"
#include "lib/base/error.h"

namespace ropewalk::compare {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A launch with one tensor, what is expected of it, and its bytes.
struct Fixture {
  Launch launch;
  std::vector<std::byte> bytes;
  std::vector<u64> written, initialized;
  std::vector<TensorAfter> after;

  Fixture(Dtype dtype, Shape shape, const std::vector<double>& got, const std::vector<double>& expected,
          Strides strides = {}) {
    LaunchTensor tensor{"out", dtype, shape, strides.empty() ? contiguous_strides(shape) : strides};
    bytes.resize(tensor.bytes());
    for (i64 n = 0; n < i64(got.size()); ++n) {
      store_from_double(bytes.data() + offset_of(tensor.strides, index_of(shape, n)) * size_of(dtype), dtype,
                        got[u64(n)]);
    }
    launch.tensors.push_back(tensor);
    launch.entry = "kernel";
    launch.arguments = {ScalarArgument{}, TensorArgument{0}};
    Expectation expectation;
    expectation.values = std::make_shared<Array>(Array::of(Dtype::F64, shape, expected));
    launch.expectations.push_back(expectation);
    after = {{bytes.data()}};
  }
  Expectation& expectation() { return launch.expectations[0]; }
  Judgement run(bool written_only = false) { return judge(launch, expectation(), after, written_only); }
};

TEST(Judge, equal_values_are_right) {
  for (const Dtype dtype : all_dtypes()) {
    if (dtype == Dtype::C64) continue;
    Fixture f(dtype, {2, 3}, {0, 1, 0, 1, 1, 0}, {0, 1, 0, 1, 1, 0});
    const Judgement judgement = f.run();
    EXPECT_EQ(judgement.wrong, 0u) << name_of(dtype);
    EXPECT_EQ(judgement.compared, 6u);
    EXPECT_EQ(judgement.largest_error, 0);
  }
}

TEST(Judge, whole_numbers_have_all_their_digits) {
  Fixture small(Dtype::U32, {1}, {3141592653}, {3141592654});
  EXPECT_EQ(mismatch_finding(small.launch, small.expectation(), small.run()).message,
            "1 of 1 elements of out is wrong: out[0] is 3141592653 where 3141592654 is expected, within 0");
  Fixture large(Dtype::I64, {2}, {0, 0}, {0, 0});
  const std::vector<i64> got{5, 9007199254740993}, expected{5, 9007199254740992};
  std::memcpy(large.bytes.data(), got.data(), 16);
  Array values = Array::of(Dtype::I64, {2}, {0, 0});
  std::memcpy(values.bytes.data(), expected.data(), 16);
  large.expectation().values = std::make_shared<Array>(std::move(values));
  const Judgement judgement = large.run();
  EXPECT_EQ(judgement.wrong, 1u);
  EXPECT_EQ(judgement.largest_error, 1);
  EXPECT_EQ(mismatch_finding(large.launch, large.expectation(), judgement).message,
            "1 of 2 elements of out is wrong: out[1] is 9007199254740993 where 9007199254740992 is expected, within 0");
}

TEST(Judge, names_the_first_and_the_worst) {
  std::vector<double> expected(3000, 1.5), got = expected;
  got[1201] = 1.75;
  got[2999] = 4.5;
  Fixture f(Dtype::F32, {3, 1000}, got, expected);
  f.expectation().atol = 0.125;
  f.expectation().rtol = 0.0625;
  const Judgement judgement = f.run();
  EXPECT_EQ(judgement.wrong, 2u);
  EXPECT_EQ(judgement.first->index, (std::vector<i64>{1, 201}));
  EXPECT_EQ(judgement.worst->index, (std::vector<i64>{2, 999}));
  EXPECT_EQ(judgement.worst->got, 4.5);
  EXPECT_EQ(judgement.worst->expected, 1.5);
  EXPECT_EQ(judgement.worst->bound, 0.125 + 0.0625 * 1.5);
  EXPECT_EQ(judgement.largest_error, 3);
  EXPECT_EQ(judgement.largest_ulps, 3 * 0x1p23);
  EXPECT_EQ(judgement.footprint.elements, (std::vector<i64>{1201, 2999}));
  EXPECT_DOUBLE_EQ(judgement.fraction_wrong(), 2.0 / 3000);
}

TEST(Judge, tolerance_is_inclusive_on_both_sides) {
  Fixture f(Dtype::F64, {4}, {1.25, 0.75, 1.2500001, 0.7499999}, {1, 1, 1, 1});
  f.expectation().atol = 0.25;
  const Judgement judgement = f.run();
  EXPECT_EQ(judgement.footprint.elements, (std::vector<i64>{2, 3}));
}

TEST(Judge, bound_by_element_stands_for_the_tolerances) {
  Fixture f(Dtype::F32, {4}, {1, 2, 3, 4}, {1.5, 2.5, 3.5, 9});
  f.expectation().bound = std::make_shared<Array>(Array::of(Dtype::F64, {4}, {0.5, 0.25, 1, infinity}));
  const Judgement judgement = f.run();
  EXPECT_EQ(judgement.footprint.elements, (std::vector<i64>{1}));
}

TEST(Judge, what_is_no_number_equals_only_itself) {
  const double nan = std::nan("");
  Fixture f(Dtype::F32, {9}, {nan, nan, 1, infinity, -infinity, infinity, 1, nan, infinity},
            {nan, 1, nan, infinity, infinity, 1, infinity, infinity, nan});
  f.expectation().atol = 1e30;
  f.expectation().rtol = 1e30;
  const Judgement judgement = f.run();
  EXPECT_EQ(judgement.footprint.elements, (std::vector<i64>{1, 2, 4, 5, 6, 7, 8}));
  EXPECT_EQ(judgement.not_a_number, 2u);
  EXPECT_EQ(judgement.largest_error, infinity);
}

TEST(Judge, gaps_are_no_elements) {
  for (const Strides& strides : {Strides{40, 1}, Strides{100, 2}, Strides{1, 7}}) {
    std::vector<double> values;
    for (int n = 0; n < 5 * 30; ++n) values.push_back(n);
    const Shape shape{5, 30};
    Fixture right(Dtype::BF16, shape, values, values, strides);
    EXPECT_EQ(right.run().wrong, 0u);
    auto wrong = values;
    wrong[93] = 1000;
    Fixture f(Dtype::BF16, shape, wrong, values, strides);
    EXPECT_EQ(f.run().first->index, (std::vector<i64>{3, 3}));
  }
}

TEST(Judge, elements_that_hold_nothing_are_left_out) {
  std::vector<double> expected(3000, 2), got(3000, 2);
  got[10] = got[2000] = 5;
  Fixture f(Dtype::F32, {3, 1000}, got, expected);
  f.initialized.assign(3000 * 4 / 64 + 1, ~u64(0));
  clear_bits(f.initialized.data(), 2000 * 4, 2000 * 4 + 1);
  f.after[0].initialized = f.initialized.data();
  const Judgement judgement = f.run();
  EXPECT_EQ(judgement.footprint.elements, (std::vector<i64>{10}));
  EXPECT_EQ(judgement.compared, 2999u);
}

TEST(Judge, of_a_sample_only_what_was_written_counts) {
  std::vector<double> expected(100, 2), got(100, 5);
  Fixture f(Dtype::F32, {100}, got, expected);
  f.written.assign(8, 0);
  set_bits(f.written.data(), 40, 48);
  f.after[0].written = f.written.data();
  EXPECT_EQ(f.run(true).footprint.elements, (std::vector<i64>{10, 11}));
  EXPECT_EQ(f.run(false).wrong, 100u);
}

TEST(Judge, another_tensor_can_be_what_is_expected) {
  Fixture f(Dtype::F32, {2, 2}, {1, 2, 3, 4}, {0, 0, 0, 0});
  f.launch.tensors.push_back({"right", Dtype::F16, {2, 2}, {2, 1}});
  std::vector<std::byte> right(8);
  for (i64 n = 0; n < 4; ++n) store_from_double(right.data() + n * 2, Dtype::F16, n == 2 ? 3.5 : double(n + 1));
  f.after.push_back({right.data()});
  Expectation same;
  same.same_as = 1;
  f.launch.expectations = {same};
  EXPECT_EQ(f.run().first->index, (std::vector<i64>{1, 0}));
}

TEST(Judge, complex_parts_are_both_judged) {
  Fixture f(Dtype::F32, {2, 2}, {1, 2, 3, 4}, {1, 2, 3, 5});
  f.launch.tensors[0] = {"out", Dtype::C64, {2}, {1}};
  Array expected = Array::zeros(Dtype::C64, {2});
  const float parts[] = {1, 2, 3, 5};
  std::memcpy(expected.bytes.data(), parts, 16);
  f.expectation().values = std::make_shared<Array>(expected);
  const Judgement judgement = f.run();
  EXPECT_EQ(judgement.wrong, 1u);
  EXPECT_EQ(judgement.first->index, (std::vector<i64>{1}));
  f.expectation().bound = std::make_shared<Array>(Array::of(Dtype::F64, {2}, {0, 1}));
  EXPECT_EQ(f.run().wrong, 0u);
}

TEST(Judge, footprint_is_bounded) {
  std::vector<double> expected(10000, 1), got(10000, 2);
  const Judgement judgement = Fixture(Dtype::F32, {10000}, got, expected).run();
  EXPECT_EQ(judgement.wrong, 10000u);
  EXPECT_EQ(judgement.footprint.elements.size(), 4096u);
  EXPECT_FALSE(judgement.footprint.complete);
}

TEST(Judge, a_wrong_number_of_values_is_an_error) {
  Fixture f(Dtype::F32, {4}, {1, 2, 3, 4}, {1, 2, 3, 4});
  f.expectation().values = std::make_shared<Array>(Array::of(Dtype::F64, {3}, {1, 2, 3}));
  EXPECT_THROW(f.run(), InputError);
}

TEST(Judge, empty_and_scalar_tensors) {
  EXPECT_EQ(Fixture(Dtype::F32, {0, 4}, {}, {}).run().compared, 0u);
  EXPECT_EQ(Fixture(Dtype::F32, {}, {2}, {3}).run().wrong, 1u);
}

TEST(JudgeOutputs, adds_a_finding_and_disagrees) {
  Fixture f(Dtype::F32, {2, 2}, {1, 2, 3, 4}, {1, 2, 3, 5});
  Outcome outcome;
  outcome.tensors = f.after;
  outcome.statistics.blocks = outcome.statistics.blocks_total = 1;
  judge_outputs(f.launch, outcome);
  EXPECT_EQ(outcome.kind, OutcomeKind::Disagreed);
  ASSERT_EQ(outcome.findings.size(), 1u);
  const Finding& finding = outcome.findings[0];
  EXPECT_EQ(finding.rule, Rule::OutputMismatch);
  EXPECT_EQ(finding.message, "1 of 4 elements of out is wrong: out[1, 1] is 4 where 5 is expected, within 0");
  EXPECT_EQ(finding.access->tensor, "out");
  EXPECT_EQ(finding.access->argument, 1);
  EXPECT_EQ(finding.access->byte_offset, 12);
  EXPECT_EQ(finding.numbers->index, (std::vector<i64>{1, 1}));
  EXPECT_EQ(finding.id.size(), 8u);

  Outcome found;
  found.kind = OutcomeKind::Found;
  found.tensors = f.after;
  judge_outputs(f.launch, found);
  EXPECT_EQ(found.kind, OutcomeKind::Found);
  EXPECT_EQ(found.findings.size(), 1u);

  Outcome not_run;
  not_run.kind = OutcomeKind::NotRun;
  judge_outputs(f.launch, not_run);
  EXPECT_TRUE(not_run.findings.empty());
}

}  // namespace
}  // namespace ropewalk::compare
