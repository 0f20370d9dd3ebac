#include "lib/base/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/lib/message.h"

namespace ropewalk {
namespace {

std::string parse_message(const std::string& text) {
  return message_of([&] { parse_json(text, "a.json"); });
}

// What reading the document {"v": ...} by `read` says.
template <class Read>
std::string read_message(const std::string& value, Read&& read) {
  const Json document = parse_json("{\"v\": " + value + "}", "a.json");
  return message_of([&] { read(JsonCursor(document, "a.json").at("v")); });
}

TEST(Json, syntax_errors_have_line_and_column) {
  EXPECT_EQ(parse_message("{\n  \"a\": 1,\n  \"b\" 2\n}"),
            "a.json:3:7: not valid JSON: syntax error while parsing object separator - unexpected number literal; "
            "expected ':'");
  EXPECT_EQ(
      parse_message(""),
      "a.json:1:1: not valid JSON: syntax error while parsing value - unexpected end of input; expected '[', '{', "
      "or a literal");
  EXPECT_EQ(parse_message("{} x").substr(0, 15), "a.json:1:4: not");
  EXPECT_EQ(parse_message("[1e999]").substr(0, 24), "a.json:1:8: not valid JS");
}

TEST(Json, a_key_twice_is_an_error_at_the_second) {
  EXPECT_EQ(parse_message("{\"a\": {\"b\": 1},\n \"c\": 2, \"a\": 3}"),
            "a.json:2:10: the key \"a\" occurs twice in one object");
  EXPECT_EQ(parse_message("[{\"a\": 1}, {\"a\": 2}]"), "(no InputError was thrown)");
}

TEST(Json, deep_nesting_is_no_trouble) {
  EXPECT_EQ(parse_message(std::string(100000, '[') + std::string(100000, ']')), "(no InputError was thrown)");
}

TEST(Json, unknown_keys_name_the_nearest) {
  EXPECT_EQ(read_message("{\"shpae\": 1}",
                         [](const JsonCursor& v) {
                           v.expect_keys({"shape", "dtype"});
                         }),
            "a.json: v: unknown key \"shpae\", did you mean \"shape\"?");
  EXPECT_EQ(read_message("3", [](const JsonCursor& v) { v.expect_keys({"shape"}); }),
            "a.json: v: expected an object, found 3");
  EXPECT_EQ(read_message("{}", [](const JsonCursor& v) { v.at("shape"); }), "a.json: v: the key \"shape\" is missing");
}

TEST(Json, paths_lead_to_the_value) {
  EXPECT_EQ(read_message("[1, {\"b\": [true, \"x\"]}]",
                         [](const JsonCursor& v) { v.elements()[1].at("b").elements()[1].boolean(); }),
            "a.json: v[1].b[1]: expected true or false, found \"x\"");
}

TEST(Json, numbers) {
  const auto integer = [](const JsonCursor& v) { v.integer(-2, 5); };
  EXPECT_EQ(read_message("6", integer), "a.json: v: expected a whole number from -2 to 5, found 6");
  EXPECT_EQ(read_message("1.5", integer), "a.json: v: expected a whole number from -2 to 5, found 1.5");
  EXPECT_EQ(read_message("18446744073709551615", integer),
            "a.json: v: expected a whole number from -2 to 5, found 18446744073709551615");
  EXPECT_EQ(read_message("-2.0", integer), "(no InputError was thrown)");
  const auto natural = [](const JsonCursor& v) { v.natural(1, 5); };
  EXPECT_EQ(read_message("-1", natural), "a.json: v: expected a whole number from 1 to 5, found -1");
  EXPECT_EQ(read_message("0", natural), "a.json: v: expected a whole number from 1 to 5, found 0");
  EXPECT_EQ(read_message("null", natural), "a.json: v: expected a whole number from 1 to 5, found null");
  const Json document = parse_json("[\"nan\", \"-inf\", 3, 18446744073709551615]", "a.json");
  const JsonCursor root(document, "a.json");
  EXPECT_TRUE(std::isnan(root.element(0).number()));
  EXPECT_EQ(root.element(1).number(), -INFINITY);
  EXPECT_EQ(root.element(2).number(), 3);
  EXPECT_EQ(root.element(3).natural(0, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(message_of([&] { root.element(0).finite_number(); }), "a.json: [0]: expected a number, found \"nan\"");
}

TEST(Json, values_are_read_as_their_type_says) {
  const JsonCursor root(
      parse_json(R"({"text": "a", "yes": true, "half": 0.5, "five": 5, "list": [1, 2], "none": null})", "a.json"),
      "a.json");
  std::string text;
  bool yes = false;
  double half = 0;
  u32 five = 0;
  std::optional<i64> maybe, unset = 7;
  std::vector<u64> list = {9};
  root.read("text", text);
  root.read("yes", yes);
  root.read_if("half", half);
  root.read("five", five, 1, 5);
  root.read_if("five", maybe);
  root.read_if("list", list);
  root.read_if("none", unset);
  root.read_if("missing", unset);
  EXPECT_EQ(text, "a");
  EXPECT_TRUE(yes);
  EXPECT_EQ(half, 0.5);
  EXPECT_EQ(five, 5u);
  EXPECT_EQ(maybe, 5);
  EXPECT_EQ(list, (std::vector<u64>{1, 2}));
  EXPECT_EQ(unset, 7);
  EXPECT_EQ(message_of([&] { root.read("missing", text); }), "a.json: the key \"missing\" is missing");
  EXPECT_EQ(message_of([&] { root.read("none", text); }), "a.json: none: expected a text, found null");
  EXPECT_EQ(message_of([&] { root.read_if("five", five, 1, 4); }),
            "a.json: five: expected a whole number from 1 to 4, found 5");
  EXPECT_EQ(message_of([&] { root.read_if("half", maybe, 0, 9); }),
            "a.json: half: expected a whole number from 0 to 9, found 0.5");
  EXPECT_EQ(message_of([&] { root.read("yes", list); }), "a.json: yes: expected a list, found true");
  EXPECT_EQ(message_of([&] { root.at("list").elements(3, "three numbers"); }),
            "a.json: list: expected three numbers, found 2 numbers");
}

TEST(Json, names_and_schemas_are_compared) {
  const JsonCursor root(parse_json(R"({"schema": "b/1", "dtype": "f31"})", "a.json"), "a.json");
  EXPECT_EQ(root.at("schema").choice({"a/1", "b/1"}, "schema"), 1u);
  EXPECT_EQ(message_of([&] {
              root.at("dtype").choice({"f32", "i64"}, "dtype");
            }),
            "a.json: dtype: unknown dtype \"f31\", did you mean \"f32\"?");
  root.expect_schema("b/1");
  EXPECT_EQ(message_of([&] { root.expect_schema("c/1"); }), "a.json: schema: expected \"c/1\", found \"b/1\"");
}

TEST(Json, cursors_keep_their_document) {
  std::vector<JsonCursor> elements;
  {
    const JsonCursor root(parse_json(R"({"a": [{"b": "deep"}]})", "a.json"), "a.json");
    elements = root.at("a").elements();
  }
  EXPECT_EQ(elements[0].at("b").text(), "deep");
}

TEST(Json, a_message_is_one_line_whatever_the_key_is) {
  EXPECT_EQ(read_message("{\"a\\nb\": 1}", [](const JsonCursor& v) { v.at("a\nb").text(); }),
            "a.json: v.a?b: expected a text, found 1");
}

TEST(Json, WhatPythonWritesForNumbersThatJsonLacks) {
  const Json value = parse_python_json(R"({"a": [NaN, -Infinity, Infinity], "b": "NaN \"Infinity"})", "x.json");
  EXPECT_EQ(value["a"], Json({"nan", "-inf", "inf"}));
  EXPECT_EQ(value["b"], "NaN \"Infinity");
  EXPECT_TRUE(std::isnan(JsonCursor(value, "x.json").at("a").element(0).number()));
  EXPECT_THROW(parse_python_json("{\"a\": Nan}", "x.json"), InputError);
  EXPECT_THROW(parse_json("{\"a\": NaN}", "x.json"), InputError);
}

}  // namespace
}  // namespace ropewalk
