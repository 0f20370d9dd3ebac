#include "tools/parse/values.h"

#include <charconv>
#include <cmath>

#include "lib/base/error.h"
#include "lib/base/nearest.h"

namespace ropewalk::tools {
namespace {

[[noreturn]] void refuse(const std::string& flag, const std::string& text, const std::string& expected) {
  throw InputError(flag + ": expected " + expected + ", found \"" + text + "\"");
}

// Reads the whole text as a number; false where it is none or does not fit.
template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

u64 read_count(const std::string& flag, const std::string& text, u64 low) {
  u64 value = 0;
  if (!read_number(text, value) || value < low) {
    refuse(flag, text, low ? "a whole number of at least " + std::to_string(low) : "a whole number");
  }
  return value;
}

double read_finite(const std::string& flag, const std::string& text) {
  double value = 0;
  if (!read_number(text, value) || !std::isfinite(value)) refuse(flag, text, "a finite number");
  return value;
}

double read_positive(const std::string& flag, const std::string& text) {
  double value = 0;
  if (!read_number(text, value) || !std::isfinite(value) || !(value > 0)) refuse(flag, text, "a number above 0");
  return value;
}

i64 read_integer(const std::string& flag, const std::string& text) {
  i64 value = 0;
  if (!read_number(text, value)) refuse(flag, text, "an integer");
  return value;
}

std::vector<i64> read_integers(const std::string& flag, const std::string& text) {
  std::vector<i64> values;
  size_t begin = 0;
  while (true) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    i64 value = 0;
    if (!read_number(std::string_view(text).substr(begin, comma - begin), value)) {
      refuse(flag, text, "integers separated by commas");
    }
    values.push_back(value);
    if (comma == text.size()) return values;
    begin = comma + 1;
  }
}

double read_seconds(const std::string& flag, const std::string& text) {
  constexpr double longest = 1e9;  // thirty years
  const std::string units = "smh";
  const size_t unit = text.empty() ? std::string::npos : units.find(text.back());
  double value = 0;
  if (unit == std::string::npos || !read_number(std::string_view(text).substr(0, text.size() - 1), value) ||
      !(value > 0) || !(value <= longest)) {
    refuse(flag, text, "a time such as 30s or 5m");
  }
  return value * (unit == 0 ? 1 : unit == 1 ? 60 : 3600);
}

u64 read_bytes(const std::string& flag, const std::string& text) {
  const std::string units = "KMGT";
  const size_t unit = text.empty() ? std::string::npos : units.find(text.back());
  const u64 shift = unit == std::string::npos ? 0 : 10 * (unit + 1);
  u64 value = 0;
  if (!read_number(std::string_view(text).substr(0, text.size() - (shift ? 1 : 0)), value) || value == 0 ||
      value > (~u64(0) >> 1 >> shift)) {
    refuse(flag, text, "a number of bytes such as 512M or 16G");
  }
  return value << shift;
}

Budget read_budget(const std::string& flag, const std::string& text) {
  Budget budget;
  u64 cases = 0;
  if (read_number(text, cases) && cases > 0) {
    budget.cases = cases;
    return budget;
  }
  try {
    budget.seconds = read_seconds(flag, text);
  } catch (const InputError&) {
    refuse(flag, text, "a time such as 30s or 5m, or a number of cases");
  }
  return budget;
}

size_t read_word(const std::string& flag, const std::string& text, const std::vector<std::string>& words) {
  for (size_t n = 0; n < words.size(); ++n) {
    if (words[n] == text) return n;
  }
  throw InputError(flag + ": \"" + text + "\" is not known; " + did_you_mean(text, words));
}

}  // namespace ropewalk::tools
