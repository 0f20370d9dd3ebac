// Lists, sets and mappings in expressions, and what is taken from them.
#include <algorithm>

#include "lib/compat/collection_methods.h"
#include "lib/compat/conditions.h"

namespace ropewalk::compat {
namespace {

using Constant = PythonConstant;
using ConstantKind = PythonConstant::Kind;
using Result = std::optional<PythonConstant>;

constexpr size_t most_items = 256;  // of a comprehension

}  // namespace

Result Conditions::subscript(const PythonNode& node, const PythonState& state) const {
  const PythonNode& at = node.one("slice");
  if (const AbstractValue owner = named(node.one("value"), state); owner.kind == AbstractValue::Kind::Class) {
    return at.is("Text") ? class_member(owner, at.word, state).constant : std::nullopt;
  }
  if (at.is("Text") && (at.word == "Version" || at.word == "version") && is_metadata(node.one("value"), state))
    return Constant::of_text(provider_.version->text);
  const Result whole = constant_of(node.one("value"), state);
  if (whole && whole->kind == ConstantKind::Mapping) {
    const Result key = constant_of(at, state);
    const Constant* const value = key ? whole->value_of(*key) : nullptr;
    return value ? Result(*value) : std::nullopt;
  }
  if (whole && whole->kind == ConstantKind::Match) {
    const Result key = constant_of(at, state);
    return key ? matching_method(*whole, "__getitem__", {*key}) : std::nullopt;
  }
  if (!whole || (whole->kind != ConstantKind::Sequence && whole->kind != ConstantKind::Text)) return std::nullopt;
  remarks_.more_than_order = remarks_.more_than_order || is_its_version(*whole);
  const i64 size = i64(whole->kind == ConstantKind::Text ? whole->text.size() : whole->items.size());
  const auto bound = [&](const PythonNode& one, i64 otherwise) -> std::optional<i64> {
    if (!one) return otherwise;
    const Result number = constant_of(one, state);
    if (!number || (number->kind != ConstantKind::Number && number->kind != ConstantKind::Truth)) return std::nullopt;
    return number->number < 0 ? number->number + size : number->number;
  };
  const PythonNode& slice = at;
  if (slice.one("step")) return std::nullopt;
  const bool range = slice.is("Slice");
  std::optional<i64> begin = bound(range ? slice.one("lower") : slice, 0);
  std::optional<i64> end = !range ? (begin ? std::optional(*begin + 1) : begin) : bound(slice.one("upper"), size);
  if (!begin || !end || (!range && (*begin < 0 || *begin >= size))) return std::nullopt;
  begin = std::clamp<i64>(*begin, 0, size);
  end = std::clamp<i64>(*end, *begin, size);
  if (whole->kind == ConstantKind::Text)
    return Constant::of_text(whole->text.substr(size_t(*begin), size_t(*end - *begin)));
  if (!range) return whole->items[size_t(*begin)];
  return Constant::of_items({whole->items.begin() + *begin, whole->items.begin() + *end});
}

Result Conditions::display(const PythonNode& node, const PythonState& state) const {
  if (!node.is("Dict")) {
    std::vector<Constant> items;
    for (const PythonNode& one : node.all("elts")) {
      const Result item = constant_of(one.is("Starred") ? one.one("value") : one, state);
      const auto several = item && one.is("Starred") ? item->elements() : std::nullopt;
      if (!item || (one.is("Starred") && !several)) return std::nullopt;
      if (several) items.insert(items.end(), several->begin(), several->end());
      if (!several) items.push_back(*item);
    }
    return node.is("Set") ? Constant::of_set(items) : Constant::of_items(std::move(items));
  }
  Constant mapping = Constant::of_mapping({});
  for (size_t n = 0; n < node.all("keys").size(); ++n) {
    const PythonNode& key = node.all("keys")[n];
    const Result name = constant_of(key, state), value = constant_of(node.all("values")[n], state);
    if (!value || (!name && !key.is("Rest"))) return std::nullopt;
    const Result joined = key.is("Rest") ? operate(mapping, "BitOr", *value) : with_item(mapping, *name, *value);
    if (!joined) return std::nullopt;
    mapping = *joined;
  }
  return mapping;
}

bool Conditions::give_parts(const PythonNode& target, const PythonConstant& value, PythonState& state) const {
  if (target.is("Name")) {
    state.values.own()[target.word] = AbstractValue::of(value);
    return true;
  }
  const std::vector<PythonNode>& parts = target.all("elts");
  const auto values = parts.empty() ? std::nullopt : taken_apart(value, parts);
  if (!values) return false;
  for (size_t n = 0; n < parts.size(); ++n) {
    if (!give_parts(parts[n].is("Starred") ? parts[n].one("value") : parts[n], (*values)[n], state)) return false;
  }
  return true;
}

// Goes through the loops from the given one on, and makes an item of each round.
bool Conditions::each_round(const PythonNode& node, size_t loop, PythonState& state,
                            std::vector<PythonConstant>& items) const {
  const std::vector<PythonNode>& loops = node.all("generators");
  if (loop == loops.size()) {
    const bool is_mapping = node.is("DictComp");
    const Result item = constant_of(node.one(is_mapping ? "key" : "elt"), state);
    const Result value = is_mapping ? constant_of(node.one("value"), state) : item;
    if (item && value) items.push_back(is_mapping ? Constant::of_items({*item, *value}) : *item);
    return item && value && items.size() <= most_items;
  }
  const Result whole = constant_of(loops[loop].one("iter"), state);
  const auto elements = whole ? whole->elements() : std::nullopt;
  if (!elements) return false;
  for (const Constant& one : *elements) {
    if (!give_parts(loops[loop].one("target"), one, state)) return false;
    bool taken = true;
    for (const PythonNode& condition : loops[loop].all("ifs")) {
      const std::optional<bool> truth = taken ? truth_of(condition, state) : std::optional(false);
      if (!truth) return false;
      taken = *truth;
    }
    if (taken && !each_round(node, loop + 1, state, items)) return false;
  }
  return true;
}

Result Conditions::comprehension(const PythonNode& node, const PythonState& state) const {
  std::vector<Constant> items;
  PythonState inner = state;
  if (!each_round(node, 0, inner, items)) return std::nullopt;
  if (node.is("SetComp")) return Constant::of_set(items);
  if (!node.is("DictComp")) return Constant::of_items(std::move(items));
  std::vector<std::pair<Constant, Constant>> pairs;
  for (Constant& one : items) pairs.emplace_back(std::move(one.items[0]), std::move(one.items[1]));
  return Constant::of_mapping(pairs);
}

// zip(a, b): sequences of what stands at the same position, as many as the shortest has.
Result Conditions::zipped(const PythonNode& node, const PythonState& state) const {
  std::vector<std::vector<Constant>> columns;
  for (const PythonNode& one : node.all("args")) {
    const Result whole = constant_of(one, state);
    const auto elements = whole ? whole->elements() : std::nullopt;
    if (!elements) return std::nullopt;
    columns.push_back(*elements);
  }
  if (columns.empty() || !node.all("keywords").empty()) return std::nullopt;
  std::vector<Constant> rows;
  const size_t rounds = std::ranges::min_element(columns, {}, &std::vector<Constant>::size)->size();
  for (size_t n = 0; n < rounds; ++n) {
    std::vector<Constant> row;
    for (const std::vector<Constant>& column : columns) row.push_back(column[n]);
    rows.push_back(Constant::of_items(std::move(row)));
  }
  return Constant::of_items(std::move(rows));
}

// The mapping of pairs; nullopt: they are none.
Result Conditions::mapping_of_pairs(const PythonConstant& pairs) {
  std::vector<std::pair<Constant, Constant>> all;
  for (const Constant& one : pairs.items) {
    if (one.kind != ConstantKind::Sequence || one.items.size() != 2) return std::nullopt;
    all.emplace_back(one.items[0], one.items[1]);
  }
  return Constant::of_mapping(all);
}

// What the built-in functions make of a collection.
Result Conditions::collection_made(const std::string& called, const PythonNode& node, const PythonState& state) const {
  const std::vector<PythonNode>& arguments = node.all("args");
  if (called == "object" && arguments.empty() && !state.in_function) {
    return Constant::of_member("object at " + std::to_string(reinterpret_cast<uintptr_t>(&node)) + ".", Constant{},
                               Constant::Likeness::None);
  }
  const bool is_set = called == "set" || called == "frozenset", is_list = called == "list" || called == "tuple";
  if (called == "len" && arguments.size() == 1) {
    const AbstractValue whole = named(arguments[0], state);
    if (whole.kind == AbstractValue::Kind::Result && !whole.items.empty()) {
      remarks_.more_than_order = true;
      return Constant::of_number(i64(whole.items.size()));
    }
  }
  if (called == "zip") return zipped(node, state);
  Result value = arguments.size() == 1 ? constant_of(arguments[0], state) : std::nullopt;
  if (called == "dict") {
    if (value && value->kind == ConstantKind::Sequence) value = mapping_of_pairs(*value);
    Constant mapping = value ? *value : Constant::of_mapping({});
    if ((!value && !arguments.empty()) || mapping.kind != ConstantKind::Mapping) return std::nullopt;
    for (const PythonNode& one : node.all("keywords")) {
      const Result item = one.word.empty() ? std::nullopt : constant_of(one.one("value"), state);
      if (!item) return std::nullopt;
      mapping = *with_item(mapping, Constant::of_text(one.word), *item);
    }
    return mapping;
  }
  if (!node.all("keywords").empty()) return std::nullopt;
  if (arguments.empty() && is_set) return Constant::of_set({});
  if (arguments.empty() && is_list) return Constant::of_items({});
  const auto items = value ? value->elements() : std::nullopt;
  if (!items) return std::nullopt;
  if (is_set) return Constant::of_set(*items);
  if (is_list) return Constant::of_items(*items);
  if (called == "len") return Constant::of_number(i64(items->size()));
  const auto holds = [](const Constant& one) { return one.truth(); };
  if (called == "any") return Constant::of_truth(std::ranges::any_of(*items, holds));
  if (called == "all") return Constant::of_truth(std::ranges::all_of(*items, holds));
  return std::nullopt;
}

}  // namespace ropewalk::compat
