#include "lib/launch/read_expectation.h"

#include <gtest/gtest.h>

#include "tests/lib/launch/launch_text.h"

namespace ropewalk {
namespace {

constexpr const char* tensors = R"({"x": {"dtype": "bf16", "shape": [2]}, "out": {"dtype": "bf16", "shape": [2]},
                                    "other": {"dtype": "f32", "shape": [1, 2]}})";

std::string text_with(const std::string& expect) {
  return LaunchText{.tensors = tensors, .more = ", \"expect\": " + expect}.text();
}
std::string message(const std::string& expect, const Arrays& arrays = {}) {
  return launch_message(text_with(expect), arrays);
}

TEST(ReadExpectation, values_files_and_other_tensors) {
  const Arrays arrays{{"f32.npy", Array::of(Dtype::F32, {2}, {1, 2.00390625})},
                      {"bits.npy", Array::of(Dtype::U16, {2}, {0x3f80, 0x4000})},
                      {"bound.npy", Array::of(Dtype::F64, {2}, {0.5, 0.25})}};
  Expectation e = launch_of(text_with(R"({"out": {"file": "f32.npy", "atol": 0.5}})"), arrays).expectations.at(0);
  EXPECT_EQ(e.values->dtype, Dtype::BF16);
  EXPECT_EQ(e.values->at(1), 2);  // rounded to nearest even
  EXPECT_EQ(e.atol, 0.5);
  EXPECT_EQ(e.rtol, 0);
  e = launch_of(text_with(R"({"out": {"file": "bits.npy"}})"), arrays).expectations.at(0);
  EXPECT_EQ(e.values->at(0), 1);
  e = launch_of(text_with(R"({"out": {"values": [1, 2]}})"), arrays).expectations.at(0);
  EXPECT_EQ(e.values->at(1), 2);
  e = launch_of(text_with(R"({"out": {"same_as": "x", "rtol": 1}})"), arrays).expectations.at(0);
  EXPECT_EQ(e.same_as, 2u);
  EXPECT_EQ(e.tensor, 1u);
  EXPECT_EQ(e.values, nullptr);
  e = launch_of(text_with(R"({"out": {"file": "f32.npy", "bound": "bound.npy"}})"), arrays).expectations.at(0);
  EXPECT_EQ(e.values->at(1), 2.00390625);  // a bound by element keeps the digits
  EXPECT_EQ(e.bound->at(1), 0.25);
}

TEST(ReadExpectation, errors) {
  EXPECT_EQ(message("[]"), "a.json: expect: expected an object, found a list");
  EXPECT_EQ(message(R"({"ouy": {"same_as": "x"}})"),
            "a.json: expect.ouy: there is no tensor \"ouy\", did you mean \"out\"?");
  EXPECT_EQ(message(R"({"out": {}})"), "a.json: expect.out: expected exactly one of file, same_as and values");
  EXPECT_EQ(message(R"({"out": {"same_as": "x", "values": [1, 2]}})"),
            "a.json: expect.out: expected exactly one of file, same_as and values");
  EXPECT_EQ(message(R"({"out": {"same_as": "x", "tol": 1}})"),
            "a.json: expect.out: unknown key \"tol\", did you mean \"atol\"?");
  EXPECT_EQ(message(R"({"out": {"same_as": "x", "name": "a"}})"), "a.json: expect.out.name: only a file has a name");
  EXPECT_EQ(message(R"({"out": {"same_as": "x", "atol": -1}})"),
            "a.json: expect.out.atol: a tolerance is not negative, found -1");
  EXPECT_EQ(message(R"({"out": {"same_as": "x", "rtol": "inf"}})"),
            "a.json: expect.out.rtol: expected a number, found \"inf\"");
  EXPECT_EQ(message(R"({"out": {"same_as": "y"}})").substr(0, 62),
            "a.json: expect.out.same_as: there is no tensor \"y\", known are ");
  EXPECT_EQ(message(R"({"out": {"same_as": "other"}})"),
            "a.json: expect.out.same_as: the tensor \"other\" has shape [1, 2], \"out\" has [2]");
  EXPECT_EQ(message(R"({"out": {"values": [1]}})"), "a.json: expect.out.values: holds 1 values, shape [2] needs 2");
  EXPECT_EQ(message(R"({"out": {"same_as": "x", "bound": "b.npy", "atol": 1}})"),
            "a.json: expect.out.bound: stands in place of atol and rtol");
  EXPECT_EQ(message(R"({"out": {"file": "b.npy"}})", {{"b.npy", Array::zeros(Dtype::F32, {2, 1})}}),
            "a.json: expect.out.file: b.npy: holds an array of shape [2, 1], the tensor has shape [2]");
}

}  // namespace
}  // namespace ropewalk
