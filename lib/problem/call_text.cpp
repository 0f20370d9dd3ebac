#include "lib/problem/call_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/nearest.h"

namespace ropewalk {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

InputLocation location_of(std::string_view text, std::string field = "") {
  return {one_line(text), 0, 0, std::move(field)};
}

// The field that `part` says, which starts at `begin` of the whole text.
CallText::Field field_of(const CallText& call, std::string_view part, u64 begin) {
  const u64 equals = part.find('=');
  const u64 column = begin + u64(trimmed(part).data() - part.data()) + 1;
  if (trimmed(part).empty())
    throw InputError(location_of(call.text), fmt::format("column {}: expected a field as KEY=VALUE", column));
  if (equals == part.npos) {
    throw InputError(location_of(call.text), fmt::format("column {}: \"{}\" has no value, expected KEY=VALUE", column,
                                                         one_line(trimmed(part))));
  }
  CallText::Field field{std::string(trimmed(part.substr(0, equals))), std::string(trimmed(part.substr(equals + 1))),
                        column};
  for (const auto& other : call.fields) {
    if (other.key == field.key) {
      throw InputError(location_of(call.text), fmt::format("column {}: \"{}\" was given at column {} already", column,
                                                           one_line(field.key), other.column));
    }
  }
  return field;
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr u64 longest = 300;
  std::string line(text.substr(0, longest));
  for (char& c : line) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return text.size() > longest ? line + "..." : line;
}

CallText CallText::parse(std::string_view text) {
  CallText call;
  call.text = std::string(trimmed(text));
  const std::string_view whole = call.text;
  const u64 open = whole.find('(');
  if (open == whole.npos || whole.back() != ')') {
    throw InputError(location_of(call.text), "expected NAME(KEY=VALUE,...) that ends with \")\"");
  }
  call.name = std::string(trimmed(whole.substr(0, open)));
  const u64 close = whole.size() - 1;
  if (trimmed(whole.substr(open + 1, close - open - 1)).empty()) return call;
  u64 begin = open + 1;
  int depth = 0;
  for (u64 at = begin; at <= close; ++at) {
    const char c = whole[at];
    depth += (c == '[') - (c == ']');
    if (depth < 0 || (at == close && depth > 0)) {
      throw InputError(location_of(call.text), fmt::format("column {}: a list's \"[\" and \"]\" do not match", at + 1));
    }
    if ((c == ',' && depth == 0) || at == close) {
      call.fields.push_back(field_of(call, whole.substr(begin, at - begin), begin));
      begin = at + 1;
    }
  }
  return call;
}

InputLocation CallText::location(const std::string& field) const { return location_of(text, field); }

void CallText::refuse(const Field& field, std::string_view expected) const {
  throw InputError(location_of(text, one_line(field.key)),
                   fmt::format("column {}: \"{}\" is not {}", field.column, one_line(field.value), expected));
}

std::string value_text(i64 value) { return std::to_string(value); }
std::string value_text(u64 value) { return std::to_string(value); }
std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(Dtype value) { return std::string(name_of(value)); }
std::string value_text(const std::string& value) { return value; }
std::string value_text(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

bool read_value(std::string_view text, i64& out, std::string* what) {
  *what = "a whole number";
  return read_number(text, out);
}

bool read_value(std::string_view text, u64& out, std::string* what) {
  *what = "a whole number of at least 0";
  return read_number(text, out);
}

bool read_value(std::string_view text, bool& out, std::string* what) {
  *what = "true or false";
  out = text == "true" || text == "1";
  return out || text == "false" || text == "0";
}

bool read_value(std::string_view text, double& out, std::string* what) {
  *what = "a finite number";
  return read_number(text, out) && std::isfinite(out);
}

bool read_value(std::string_view text, Dtype& out, std::string* what) {
  const auto dtype = dtype_named(text);
  if (dtype) {
    out = *dtype;
    return true;
  }
  std::vector<std::string> names;
  for (const Dtype known : all_dtypes()) names.emplace_back(name_of(known));
  *what = "a dtype; " + did_you_mean(text, names);
  return false;
}

bool read_value(std::string_view text, std::string& out, std::string* what) {
  *what = "a word";
  out = std::string(text);
  return !text.empty();
}

bool read_value(std::string_view text, std::vector<i64>& out, std::string* what) {
  *what = "a list of whole numbers such as [0,5]";
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = trimmed(text.substr(1, text.size() - 2));
  out.clear();
  while (!text.empty()) {
    const u64 comma = text.find(',');
    i64 value = 0;
    if (!read_number(trimmed(text.substr(0, comma)), value)) return false;
    out.push_back(value);
    if (comma == text.npos) return true;
    text = text.substr(comma + 1);
    if (trimmed(text).empty()) return false;  // a comma at the end
  }
  return true;
}

}  // namespace ropewalk
