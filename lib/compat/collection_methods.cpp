#include "lib/compat/collection_methods.h"

#include <algorithm>
#include <array>

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using ConstantKind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

// As sets; nullopt: one of them is no collection.
Result combined(const Constant& whole, const char* word, const std::vector<Constant>& given) {
  if (given.size() != 1) return std::nullopt;
  const auto items = given[0].elements();
  return items ? operate(whole, word, Constant::of_set(*items)) : std::nullopt;
}

Result of_mapping(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (method == "get" && (given.size() == 1 || given.size() == 2)) {
    const Constant* const value = whole.value_of(given[0]);
    return value ? *value : given.size() == 2 ? given[1] : Constant{};
  }
  if (!given.empty()) return std::nullopt;
  if (method == "items") return Constant::of_items(whole.items);
  if (method == "keys") return Constant::of_set(*whole.elements());
  if (method != "values") return std::nullopt;
  std::vector<Constant> values;
  for (const Constant& one : whole.items) values.push_back(one.items[1]);
  return Constant::of_items(std::move(values));
}

Result of_set(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (method == "union") return combined(whole, "BitOr", given);
  if (method == "intersection") return combined(whole, "BitAnd", given);
  if (method == "difference") return combined(whole, "Sub", given);
  const auto other = given.size() == 1 ? given[0].elements() : std::nullopt;
  if (!other) return std::nullopt;
  const auto truth = [](std::optional<bool> one) { return one ? Result(Constant::of_truth(*one)) : std::nullopt; };
  if (method == "issubset") return truth(compare(whole, "LtE", Constant::of_set(*other)));
  if (method == "issuperset") return truth(compare(whole, "GtE", Constant::of_set(*other)));
  if (method != "isdisjoint") return std::nullopt;
  const Result both = combined(whole, "BitAnd", given);
  return both ? Result(Constant::of_truth(both->items.empty())) : std::nullopt;
}

Result set_after(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (method == "add" && given.size() == 1) return operate(whole, "BitOr", Constant::of_set({given[0]}));
  if (method == "update") return combined(whole, "BitOr", given);
  if (method == "difference_update") return combined(whole, "Sub", given);
  if (method == "intersection_update") return combined(whole, "BitAnd", given);
  if ((method == "discard" || method == "remove") && given.size() == 1) {
    return operate(whole, "Sub", Constant::of_set({given[0]}));
  }
  return std::nullopt;
}

Result list_after(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (given.size() != 1) return std::nullopt;
  if (method == "append") return operate(whole, "Add", Constant::of_items({given[0]}));
  if (method == "extend") {
    const auto more = given[0].elements();
    return more ? operate(whole, "Add", Constant::of_items(*more)) : std::nullopt;
  }
  if (method != "remove") return std::nullopt;
  std::vector<Constant> items = whole.items;
  const auto found =
      std::ranges::find_if(items, [&](const Constant& one) { return compare(one, "Eq", given[0]) == true; });
  if (found == items.end()) return std::nullopt;
  items.erase(found);
  return Constant::of_items(std::move(items));
}

Result mapping_after(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (method == "update" && given.size() == 1) return operate(whole, "BitOr", given[0]);
  if (method == "setdefault" && given.size() == 2) {
    return whole.value_of(given[0]) ? Result(whole) : with_item(whole, given[0], given[1]);
  }
  if (method != "pop" || given.empty() || given.size() > 2) return std::nullopt;
  Constant rest = whole;
  std::erase_if(rest.items, [&](const Constant& one) { return compare(one.items[0], "Eq", given[0]) == true; });
  return rest;
}

}  // namespace

bool only_reads(const std::string& method) {
  static constexpr std::array names = {"get",      "items",      "keys",      "values",       "copy",
                                       "index",    "count",      "union",     "intersection", "difference",
                                       "issubset", "issuperset", "isdisjoint"};
  return std::ranges::find(names, method) != names.end();
}

bool changes_its_owner(const std::string& method) {
  static constexpr std::array names = {"update", "setdefault", "pop",    "popitem", "clear",
                                       "append", "extend",     "insert", "remove",  "__setitem__"};
  return std::ranges::find(names, method) != names.end();
}

Result collection_method(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (method == "copy" && given.empty()) return whole;
  if (whole.kind == ConstantKind::Mapping) return of_mapping(whole, method, given);
  if (whole.kind == ConstantKind::Set) return of_set(whole, method, given);
  if (whole.kind != ConstantKind::Sequence || method != "count" || given.size() != 1) return std::nullopt;
  return Constant::of_number(
      std::ranges::count_if(whole.items, [&](const Constant& one) { return compare(one, "Eq", given[0]) == true; }));
}

Result after_method(const Constant& whole, const std::string& method, const std::vector<Constant>& given) {
  if (only_reads(method)) return whole;
  Constant empty{whole.kind};
  if (method == "clear" && given.empty()) return empty;
  if (whole.kind == ConstantKind::Set) return set_after(whole, method, given);
  if (whole.kind == ConstantKind::Sequence) return list_after(whole, method, given);
  return whole.kind == ConstantKind::Mapping ? mapping_after(whole, method, given) : std::nullopt;
}

Result with_item(const Constant& whole, const Constant& key, const Constant& value) {
  if (whole.kind != ConstantKind::Mapping) return std::nullopt;
  return operate(whole, "BitOr", Constant::of_mapping({{key, value}}));
}

}  // namespace ropewalk::compat
