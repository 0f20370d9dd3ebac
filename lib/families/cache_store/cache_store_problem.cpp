#include "lib/families/cache_store/cache_store_problem.h"

#include <algorithm>
#include <numeric>

#include "lib/base/nearest.h"
#include "lib/base/random.h"
#include "lib/problem/call_text.h"
#include "lib/problem/fields.h"

namespace ropewalk::cache_store {
namespace {

// Every field with its key, in the order of the print: the one list that printing and reading go by.
constexpr auto visit_fields = [](auto& problem, auto&& visit) {
  visit("T", problem.tokens);
  visit("H", problem.heads);
  visit("D", problem.head_dim);
  visit("query_heads", problem.query_heads);
  visit("token_gap", problem.token_gap);
  visit("padding", problem.padding);
  visit("slots", problem.slots);
  visit("page_size", problem.page_size);
  visit("page_gap", problem.page_gap);
  visit("layout", problem.layout);
  visit("dtype", problem.dtype);
  visit("cache_dtype", problem.cache_dtype);
  visit("k_scale", problem.k_scale);
  visit("v_scale", problem.v_scale);
  visit("slot_mapping", problem.slot_mapping);
  visit("copies", problem.copies);
  visit("seed", problem.seed);
  visit("input", problem.input);
};

// What differs from problem to problem in how fields are read and printed.
struct Values {
  static std::string text(CacheLayout layout) { return std::string(name_of(layout)); }
  static std::string text(const std::optional<Dtype>& dtype) { return dtype ? value_text(*dtype) : ""; }
  template <class Value>
  static std::string text(const Value& value) {
    return value_text(value);
  }
  static bool read(std::string_view given, CacheLayout& out, std::string* what) {
    for (const CacheLayout layout : {CacheLayout::Nhd, CacheLayout::Hnd}) {
      if (name_of(layout) != given) continue;
      out = layout;
      return true;
    }
    *what = "a layout; " + did_you_mean(given, {"nhd", "hnd"});
    return false;
  }
  static bool read(std::string_view given, std::optional<Dtype>& out, std::string* what) {
    return read_value(given, out.emplace(), what);
  }
  template <class Value>
  static bool read(std::string_view given, Value& out, std::string* what) {
    return read_value(given, out, what);
  }
};

constexpr FieldFormat<CacheStoreProblem, decltype(visit_fields), Values> format{
    "cache-store", {"T", "H", "D"}, visit_fields};

}  // namespace

std::string_view name_of(CacheLayout layout) { return layout == CacheLayout::Nhd ? "nhd" : "hnd"; }

i64 CacheStoreProblem::room() const {
  if (slots) return slots;
  // Of lists that nobody has looked at: no sum or product of it overflows.
  static constexpr i64 most = i64(1) << 31;
  const auto past_largest = [](const std::vector<i64>& list) { return std::min(std::ranges::max(list), most) + 1; };
  if (is_copy()) return std::max<i64>(1, past_largest(copies)) * tokens_of_page();
  return slot_mapping.empty() ? tokens : std::max<i64>(1, past_largest(slot_mapping));
}

std::vector<i64> CacheStoreProblem::slots_of_tokens() const {
  if (!slot_mapping.empty()) return slot_mapping;
  std::vector<i64> all(u64(pages() * tokens_of_page()));
  std::iota(all.begin(), all.end(), 0);
  Random random(seed);
  for (u64 n = 0; n < u64(tokens); ++n) std::swap(all[n], all[n + random.below(all.size() - n)]);
  all.resize(u64(tokens));
  return all;
}

std::string text_of(const CacheStoreProblem& problem) { return format.print(problem); }

CacheStoreProblem parse_cache_store(std::string_view text) {
  const CacheStoreProblem problem = format.read(text);
  require_input(text, problem.input, {"normal", "integers", "large"});
  return problem;
}

}  // namespace ropewalk::cache_store
