// What simple statements do to the values that bear on calls.
#include <algorithm>
#include <charconv>

#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk {
namespace {

using Kind = AbstractValue::Kind;

std::string word(const PythonToken& token) { return std::string(token.text); }

// Sets or replaces a key.
void put(AbstractValue& mapping, const std::string& name, const std::string& text) {
  for (NamedText& item : mapping.items) {
    if (item.name == name) {
      item.text = text;
      return;
    }
  }
  mapping.items.push_back({name, text});
}

void join(AbstractValue& into, const AbstractValue* other, Kind kind) {
  if (!other || other->kind != kind) {
    into.open = true;
    return;
  }
  into.open = into.open || other->open;
  for (const NamedText& item : other->items) {
    if (kind == Kind::Keywords)
      put(into, item.name, item.text);
    else
      into.items.push_back(item);
  }
}

// The place that list.pop(arguments) takes an item from; nullopt: that is not told.
std::optional<size_t> popped_place(const std::vector<TokenSpan>& arguments, size_t size) {
  if (size == 0) return std::nullopt;
  if (arguments.empty()) return size - 1;
  if (arguments[0].size() != 1 || arguments[0][0].kind != PythonTokenKind::Number) return std::nullopt;
  size_t place = 0;
  const std::string_view digits = arguments[0][0].text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  const bool is_place = error == std::errc() && end == digits.data() + digits.size() && place < size;
  return is_place ? std::optional(place) : std::nullopt;
}

}  // namespace

AbstractValue CallWalk::mapping_of(TokenSpan inside, bool literal, const PythonState& state) {
  AbstractValue mapping;
  mapping.kind = Kind::Keywords;
  for (const TokenSpan part : split_at_commas(inside)) {
    const size_t middle = find_outside(part, literal ? ":" : "=");
    if (!part.empty() && part[0].is("**")) {
      const AbstractValue other = value_of(part.subspan(1), state);
      join(mapping, &other, Kind::Keywords);
    } else if (middle == 1 && part.size() > 2 &&
               (literal ? part[0].kind == PythonTokenKind::String : part[0].is_name())) {
      put(mapping, literal ? std::string(contents_of(part[0])) : word(part[0]), text_of(part.subspan(2)));
    } else {
      mapping.open = true;
    }
  }
  return mapping;
}

AbstractValue CallWalk::sequence_of(TokenSpan inside, const PythonState& state) {
  AbstractValue sequence;
  sequence.kind = Kind::Positionals;
  sequence.open = find_outside(inside, "for") != inside.size();
  if (sequence.open) return sequence;
  for (const TokenSpan part : split_at_commas(inside)) {
    if (!part.empty() && part[0].is("*")) {
      const AbstractValue other = value_of(part.subspan(1), state);
      join(sequence, &other, Kind::Positionals);
    } else {
      sequence.items.push_back({"", text_of(part)});
    }
  }
  return sequence;
}

AbstractValue CallWalk::value_of(TokenSpan tokens, const PythonState& state) {
  AbstractValue value;
  if (tokens.empty()) return value;
  if (const auto release = version_of(tokens, state, provider_)) {
    value.kind = Kind::Release;
    value.release = *release;
    return value;
  }
  const bool whole = closing_of(tokens, 0) + 1 == tokens.size();
  if (tokens[0].is("{") && whole) return mapping_of(tokens.subspan(1, tokens.size() - 2), true, state);
  if (tokens[0].is("[") && whole) return sequence_of(tokens.subspan(1, tokens.size() - 2), state);
  if (tokens[0].is("dict") && tokens.size() > 2 && tokens[1].is("(") && closing_of(tokens, 1) + 1 == tokens.size()) {
    return mapping_of(tokens.subspan(2, tokens.size() - 3), false, state);
  }
  if (tokens[0].is("(") && whole) {
    const TokenSpan inside = tokens.subspan(1, tokens.size() - 2);
    const bool tuple = inside.empty() || find_outside(inside, ",") != inside.size();
    return tuple ? sequence_of(inside, state) : value_of(inside, state);
  }
  if (tokens.size() == 1 && tokens[0].is_name()) {
    if (const AbstractValue* const known = state.find(word(tokens[0]))) return *known;
  }
  if (tokens.size() > 2 && tokens[tokens.size() - 2].is(".")) {
    const std::string module = text_of(tokens.first(tokens.size() - 2));
    const AbstractValue* const known = state.find(module);
    const std::string path = known && known->kind == Kind::Module ? known->name : module;
    if (const std::string* const from = defining_module(path, word(tokens.back()), provider_);
        from && (known ? known->kind == Kind::Module : false)) {
      value.kind = Kind::Function;
      value.name = word(tokens.back());
      value.module = *from;
      return value;
    }
  }
  if (const auto truth = truth_of(tokens, state, provider_)) {
    value.kind = Kind::Truth;
    value.truth = *truth;
  }
  return value;
}

void CallWalk::import(const PythonStatement& statement, PythonState& state) {
  for (const Import& one : imports_of(statement)) {
    if (one.whole && is_module(one.module, provider_)) {
      AbstractValue module{Kind::Module, one.module};
      state.set(one.names.empty() ? one.module : one.names[0].second, module);
    }
    for (const auto& [name, alias] : one.names) {
      if (one.whole) continue;
      if (const std::string* const from = defining_module(one.module, name, provider_)) {
        state.set(alias, {Kind::Function, name, *from});
      } else if (is_module(one.module + "." + name, provider_)) {
        state.set(alias, {Kind::Module, one.module + "." + name});
      }
    }
  }
}

void CallWalk::give(TokenSpan target, const AbstractValue& value, PythonState& state) {
  if (target.size() == 1 && target[0].is_name()) state.set(word(target[0]), value);
  if (target.size() == 3 && target[0].is_name() && target[1].is(".")) {
    const std::string attribute = text_of(target);
    state.decided.erase(attribute);
    state.domains.erase(attribute);
    if (value.kind == Kind::Truth && attribute.starts_with(own_)) state.decided[attribute] = value.truth;
  }
}

bool CallWalk::change(TokenSpan tokens, PythonState& state) {
  if (tokens.size() >= 5 && tokens[0].is("del") && tokens[2].is("[") && tokens[3].kind == PythonTokenKind::String) {
    if (const AbstractValue* const known = state.find(word(tokens[1])); known && known->kind == Kind::Keywords) {
      AbstractValue mapping = *known;
      std::erase_if(mapping.items, [&](const NamedText& item) { return item.name == contents_of(tokens[3]); });
      state.set(word(tokens[1]), mapping);
      return true;
    }
  }
  if (tokens.size() < 5 || !tokens[0].is_name() || !tokens[1].is(".") || !tokens[3].is("(")) return false;
  const AbstractValue* const known = state.find(word(tokens[0]));
  if (!known || (known->kind != Kind::Keywords && known->kind != Kind::Positionals)) return false;
  AbstractValue value = *known;
  const TokenSpan arguments = tokens.subspan(4, closing_of(tokens, 3) - 4);
  const std::vector<TokenSpan> parts = split_at_commas(arguments);
  const bool keyed = !parts.empty() && parts[0].size() == 1 && parts[0][0].kind == PythonTokenKind::String;
  const std::string key = keyed ? std::string(contents_of(parts[0][0])) : "";
  if (tokens[2].is("update")) {
    const bool named = !parts.empty() && find_outside(parts[0], "=") != parts[0].size();
    const AbstractValue other = named ? mapping_of(arguments, false, state) : value_of(arguments, state);
    join(value, &other, Kind::Keywords);
  } else if (tokens[2].is("append") && parts.size() == 1) {
    value.items.push_back({"", text_of(parts[0])});
  } else if (tokens[2].is("extend")) {
    const AbstractValue other = value_of(arguments, state);
    join(value, &other, Kind::Positionals);
  } else if (tokens[2].is("pop") && keyed) {
    std::erase_if(value.items, [&](const NamedText& item) { return item.name == key; });
  } else if (tokens[2].is("pop") && value.kind == Kind::Positionals) {
    const std::optional<size_t> at = popped_place(parts, value.items.size());
    if (!at || value.open) {
      state.set(word(tokens[0]), {});
      return true;
    }
    value.items.erase(value.items.begin() + long(*at));
  } else if (tokens[2].is("setdefault") && keyed && parts.size() == 2) {
    const bool there =
        std::any_of(value.items.begin(), value.items.end(), [&](const NamedText& i) { return i.name == key; });
    if (!there) value.items.push_back({key, text_of(parts[1])});
  } else {
    return false;
  }
  state.set(word(tokens[0]), value);
  return true;
}

CallWalk::States CallWalk::assign(TokenSpan targets, TokenSpan value, PythonState state) {
  const TokenSpan inner = without_brackets(value);
  const size_t if_at = find_outside(inner, "if"), else_at = find_outside(inner, "else");
  const bool choice = if_at < else_at && else_at < inner.size() && find_outside(inner, ",") == inner.size();
  if (choice && targets.size() == 1 && relevant_.count(word(targets[0]))) {
    const TokenSpan condition = inner.subspan(if_at + 1, else_at - if_at - 1);
    const TokenSpan yes = inner.first(if_at), no = inner.subspan(else_at + 1);
    const std::optional<bool> truth = truth_of(condition, state, provider_);
    if (truth) return assign(targets, *truth ? yes : no, std::move(state));
    PythonState other = state;
    assume(condition, true, state, provider_);
    assume(condition, false, other, provider_);
    States states = assign(targets, yes, std::move(state));
    for (PythonState& end : assign(targets, no, std::move(other))) states.push_back(std::move(end));
    return states;
  }
  const std::optional<size_t> call = find_calls(value, state);
  find_uses(targets, value, state);
  AbstractValue result = call ? AbstractValue{Kind::Result} : value_of(value, state);
  if (call) result.call = *call;
  // Several targets of a call's result take the tuple apart.
  const TokenSpan bare = without_brackets(targets);
  const std::vector<TokenSpan> parts = split_at_commas(bare);
  if (call && find_outside(bare, ",") != bare.size()) {
    Call& made = result_.calls[*call];
    made.unpacked = parts.size();
    for (u64 n = 0; n < parts.size(); ++n) {
      if (!parts[n].empty() && parts[n][0].is("*")) {
        made.unpacks_rest = true;
        made.unpacked = parts.size() - 1;
        break;
      }
      const ResultUse use{n, name_in(text_of(parts[n]), true), value.front().line};
      if (std::find(made.uses.begin(), made.uses.end(), use) == made.uses.end()) made.uses.push_back(use);
    }
  } else if (targets.size() >= 4 && targets[0].is_name() && targets[1].is("[") &&
             targets[2].kind == PythonTokenKind::String && closing_of(targets, 1) == 3) {
    const AbstractValue* const known = state.find(word(targets[0]));
    if (known && known->kind == Kind::Keywords) {
      AbstractValue mapping = *known;
      put(mapping, std::string(contents_of(targets[2])), text_of(value));
      state.set(word(targets[0]), mapping);
    }
  } else if (parts.size() > 1) {
    const std::vector<TokenSpan> values = split_at_commas(without_brackets(value));
    for (size_t n = 0; n < parts.size(); ++n) {
      give(parts[n], values.size() == parts.size() ? value_of(values[n], state) : AbstractValue{}, state);
    }
  } else {
    give(targets, result, state);
  }
  return {std::move(state)};
}

CallWalk::States CallWalk::simple(const PythonStatement& statement, PythonState state) {
  const TokenSpan tokens = statement.tokens;
  if (statement.begins("from") || statement.begins("import")) {
    import(statement, state);
    return {std::move(state)};
  }
  if (statement.begins("return") || statement.begins("raise") || statement.begins("continue") ||
      statement.begins("break")) {
    find_calls(tokens.subspan(1), state);
    if (statement.begins("return")) come_to_end(state);
    return {};
  }
  if (statement.begins("assert")) {
    const TokenSpan condition = tokens.subspan(1, find_outside(tokens, ",") - 1);
    find_calls(condition, state);
    if (truth_of(condition, state, provider_) == false) return {};
    assume(condition, true, state, provider_);
    return {std::move(state)};
  }
  for (const char* augmented : {"+=", "|="}) {
    const size_t at = find_outside(tokens, augmented);
    if (at != 1 || tokens.size() == 1) continue;
    find_calls(tokens.subspan(2), state);
    const AbstractValue* const known = state.find(word(tokens[0]));
    if (!known || (known->kind != Kind::Keywords && known->kind != Kind::Positionals)) return {std::move(state)};
    AbstractValue value = *known;
    const AbstractValue other = value_of(tokens.subspan(2), state);
    join(value, &other, value.kind);
    state.set(word(tokens[0]), value);
    return {std::move(state)};
  }
  const size_t equals = find_outside(tokens, "=");
  if (equals > 0 && equals < tokens.size()) {
    TokenSpan targets = tokens.first(equals), value = tokens.subspan(equals + 1);
    if (const size_t colon = find_outside(targets, ":"); colon == 1) targets = targets.first(1);
    const size_t second = find_outside(value, "=");
    if (second < value.size()) value = value.subspan(second + 1);  // a = b = value: the first target counts
    return assign(targets, value, std::move(state));
  }
  if (!change(tokens, state)) find_calls(tokens, state);
  return {std::move(state)};
}

}  // namespace ropewalk
