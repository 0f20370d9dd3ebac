#include "lib/base/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lib/base/nearest.h"

namespace ropewalk {
namespace {

InputLocation location_of(std::string_view text, size_t offset, const std::string& path) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  InputLocation location{path, 1, 1};
  for (const char c : before) {
    if (c == '\n') {
      ++location.line;
      location.column = 1;
    } else {
      ++location.column;
    }
  }
  return location;
}

// Walks over the text and notes how far the parser has come, for the location of a key that occurs twice.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** furthest;
  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    *furthest = ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

// What the library says of a syntax error, without its own numbering and location: "unexpected ','; expected ...".
std::string reason_of(const Json::parse_error& error) {
  std::string what = error.what();
  const size_t column = what.find("column ");
  const size_t colon = column == std::string::npos ? what.find(": ") : what.find(": ", column);
  if (colon != std::string::npos) what = what.substr(colon + 2);
  if (what.size() > 200) what = what.substr(0, 197) + "...";
  return "not valid JSON: " + what;
}

// Whole numbers that a double holds exactly, for 3.0 and 1e3.
bool is_whole(double value) { return value == std::trunc(value) && std::fabs(value) < 0x1p63; }

}  // namespace

Json parse_json(std::string_view text, const std::string& path) {
  const char* furthest = text.data();
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      const size_t end = size_t(furthest - text.data());
      const size_t quote = text.rfind('"', end >= 2 ? end - 2 : 0);
      throw InputError(location_of(text, quote, path), "the key " + value.dump() + " occurs twice in one object");
    }
    return true;
  };
  try {
    return Json::parse(CountingIterator{text.data(), &furthest}, CountingIterator{text.data() + text.size(), &furthest},
                       watch);
  } catch (const Json::parse_error& error) {
    throw InputError(location_of(text, error.byte ? error.byte - 1 : 0, path), reason_of(error));
  } catch (const Json::exception& error) {
    // A number beyond the range of double is the one other thing that the parser throws for.
    throw InputError(location_of(text, size_t(furthest - text.data()), path),
                     std::string("not valid JSON: ") + error.what());
  }
}

Json parse_python_json(std::string_view text, const std::string& path) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"NaN", "\"nan\""}, {"Infinity", "\"inf\""}, {"-Infinity", "\"-inf\""}};
  std::string out;
  bool inside = false;  // of a text
  for (size_t at = 0; at < text.size();) {
    size_t taken = 0;
    for (const auto& [word, as] : words) {
      if (inside || !text.substr(at).starts_with(word)) continue;
      out += as;
      taken = word.size();
    }
    if (taken == 0) {
      taken = inside && text[at] == '\\' ? 2 : 1;
      inside ^= text[at] == '"';
      out += text.substr(at, taken);
    }
    at += taken;
  }
  return parse_json(out, path);
}

void JsonCursor::fail(const std::string& what) const {
  throw InputError(InputLocation{source_->file, 0, 0, path_}, what);
}

std::string JsonCursor::description() const {
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return "a list";
  if (value_->is_null()) return "null";
  std::string text = value_->dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

void JsonCursor::expect_keys(const std::vector<std::string>& known) const {
  for (const auto& [key, member] : members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail("unknown key \"" + key + "\", " + did_you_mean(key, known));
    }
  }
}

void JsonCursor::expect_schema(std::string_view name) const {
  const JsonCursor schema = at("schema");
  if (schema.text() != name) schema.fail("expected \"" + std::string(name) + "\", found " + schema.description());
}

JsonCursor JsonCursor::at(const std::string& key) const {
  if (!value_->is_object()) fail("expected an object, found " + description());
  const auto found = value_->find(key);
  if (found == value_->end()) fail("the key \"" + key + "\" is missing");
  return {*this, *found, path_.empty() ? key : path_ + "." + key};
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  if (!value_->is_object()) fail("expected an object, found " + description());
  std::vector<std::pair<std::string, JsonCursor>> list;
  for (const auto& [key, member] : value_->items()) {
    list.emplace_back(key, at(key));
  }
  return list;
}

std::vector<JsonCursor> JsonCursor::elements() const {
  if (!value_->is_array()) fail("expected a list, found " + description());
  std::vector<JsonCursor> list;
  for (u64 n = 0; n < size(); ++n) list.push_back(element(n));
  return list;
}

std::vector<JsonCursor> JsonCursor::elements(u64 count, const std::string& expected) const {
  if (is_array() && size() != count) fail("expected " + expected + ", found " + std::to_string(size()) + " numbers");
  return elements();
}

JsonCursor JsonCursor::element(u64 n) const { return {*this, (*value_)[n], path_ + "[" + std::to_string(n) + "]"}; }

std::string JsonCursor::text() const {
  if (!value_->is_string()) fail("expected a text, found " + description());
  return value_->get<std::string>();
}

bool JsonCursor::boolean() const {
  if (!value_->is_boolean()) fail("expected true or false, found " + description());
  return value_->get<bool>();
}

double JsonCursor::number() const {
  if (value_->is_number()) return value_->get<double>();
  if (value_->is_string()) {
    const std::string& name = value_->get_ref<const std::string&>();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "-inf") return -std::numeric_limits<double>::infinity();
  }
  fail("expected a number (or \"nan\", \"inf\", \"-inf\"), found " + description());
}

double JsonCursor::finite_number() const {
  if (!value_->is_number()) fail("expected a number, found " + description());
  return value_->get<double>();
}

i64 JsonCursor::integer(i64 low, i64 high) const {
  const auto range = [&] { return "a whole number from " + std::to_string(low) + " to " + std::to_string(high); };
  if (!value_->is_number()) fail("expected " + range() + ", found " + description());
  i64 result = 0;
  bool fits = true;
  if (value_->is_number_unsigned()) {
    fits = value_->get<u64>() <= u64(std::numeric_limits<i64>::max());
    result = i64(value_->get<u64>());
  } else if (value_->is_number_integer()) {
    result = value_->get<i64>();
  } else {
    fits = is_whole(value_->get<double>());
    if (fits) result = i64(value_->get<double>());
  }
  if (!fits || result < low || result > high) fail("expected " + range() + ", found " + description());
  return result;
}

u64 JsonCursor::natural(u64 low, u64 high) const {
  const bool whole = value_->is_number_float() && is_whole(value_->get<double>()) && value_->get<double>() >= 0;
  const bool natural = value_->is_number_unsigned() || whole;
  const u64 result = natural ? value_->is_number_unsigned() ? value_->get<u64>() : u64(value_->get<double>()) : 0;
  if (!natural || result < low || result > high) {
    fail("expected a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", found " +
         description());
  }
  return result;
}

u64 JsonCursor::choice(const std::vector<std::string>& names, const std::string& what) const {
  const auto found = std::find(names.begin(), names.end(), text());
  if (found == names.end()) fail("unknown " + what + " \"" + text() + "\", " + did_you_mean(text(), names));
  return u64(found - names.begin());
}

}  // namespace ropewalk
