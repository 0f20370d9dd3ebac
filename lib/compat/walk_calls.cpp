// Calls of a provider's functions as the walk meets them, and what is done with their results.
#include <algorithm>

#include "lib/compat/walk.h"

namespace ropewalk {
namespace {

using Kind = AbstractValue::Kind;

bool same_call(const Call& a, const Call& b) {
  return a.function == b.function && a.line == b.line && a.scope == b.scope && a.positional == b.positional &&
         a.keywords == b.keywords && a.more_positional == b.more_positional && a.more_keywords == b.more_keywords;
}

// Where the dotted name that ends at `end` begins.
size_t name_begin(TokenSpan tokens, size_t end) {
  size_t begin = end;
  while (begin >= 2 && tokens[begin - 1].is(".") && tokens[begin - 2].is_name()) begin -= 2;
  return begin;
}

}  // namespace

std::optional<size_t> CallWalk::find_calls(TokenSpan tokens, const PythonState& state) {
  std::optional<size_t> last;
  for (size_t n = 0; n + 1 < tokens.size(); ++n) {
    if (!tokens[n].is_name() || !tokens[n + 1].is("(")) continue;
    const size_t begin = name_begin(tokens, n);
    if (const LocalFunction* const called = order_.local(text_of(tokens.subspan(begin, n + 1 - begin)))) {
      pass(*called, tokens.subspan(n + 2, closing_of(tokens, n + 1) - n - 2), state);
    }
    const AbstractValue function = value_of(tokens.subspan(begin, n + 1 - begin), state);
    if (function.kind != Kind::Function) continue;
    const size_t close = closing_of(tokens, n + 1);
    Call call = call_at(function, tokens.subspan(n + 2, close - n - 2), state);
    call.line = tokens[n].line;
    // `f(..)[1]` takes one of the results.
    if (close + 2 < tokens.size() && tokens[close + 1].is("[") && tokens[close + 2].kind == PythonTokenKind::Number) {
      call.uses.push_back({std::strtoull(std::string(tokens[close + 2].text).c_str(), nullptr, 10), "", call.line});
    }
    const size_t number = record(std::move(call));
    if (begin == 0 && close + 1 == tokens.size()) last = number;
  }
  return last;
}

Call CallWalk::call_at(const AbstractValue& function, TokenSpan arguments, const PythonState& state) const {
  Call call;
  call.function = function.name;
  call.module = function.module;
  call.file = file_.path;
  call.scope = scope_;
  call.refusal_caught = catching_;
  for (const TokenSpan part : split_at_commas(arguments)) {
    if (part.empty()) continue;
    const AbstractValue* const known =
        part.size() == 2 && part[1].is_name() ? state.find(std::string(part[1].text)) : nullptr;
    if (part[0].is("**")) {
      const bool told = known && known->kind == Kind::Keywords;
      call.more_keywords = call.more_keywords || !told || known->open;
      if (told) call.keywords.insert(call.keywords.end(), known->items.begin(), known->items.end());
    } else if (part[0].is("*")) {
      const bool told = known && known->kind == Kind::Positionals;
      call.more_positional = call.more_positional || !told || known->open;
      if (told) {
        for (const NamedText& item : known->items) call.positional.push_back(item.text);
      }
    } else if (part.size() > 2 && part[0].is_name() && part[1].is("=")) {
      call.keywords.push_back({std::string(part[0].text), text_of(part.subspan(2))});
    } else if (!call.more_positional) {
      call.positional.push_back(text_of(part));
    }
  }
  return call;
}

void CallWalk::pass(const LocalFunction& called, TokenSpan arguments, const PythonState& state) {
  Truths given;
  std::set<std::string> filled;
  const auto fill = [&](const std::string& parameter, std::optional<bool> truth) {
    filled.insert(parameter);
    if (truth) given[parameter] = *truth;
  };
  const auto truth_of_text = [&](const std::string& text) -> std::optional<bool> {
    if (text == "True" || text == "False") return text == "True";
    const AbstractValue* const known = state.find(text);
    if (known && known->kind == Kind::Truth) return known->truth;
    const auto decided = state.decided.find(text);
    return decided == state.decided.end() ? std::nullopt : std::optional(decided->second);
  };
  size_t place = 0;
  const auto fill_next = [&](std::optional<bool> truth) {
    if (place < called.parameters.size()) fill(called.parameters[place++].name, truth);
  };
  for (const TokenSpan part : split_at_commas(arguments)) {
    if (part.empty()) continue;
    const AbstractValue* const known =
        part.size() == 2 && part[1].is_name() ? state.find(std::string(part[1].text)) : nullptr;
    if (part[0].is("*") && known && known->kind == Kind::Positionals && !known->open) {
      for (const NamedText& item : known->items) fill_next(truth_of_text(item.text));
    } else if (part[0].is("*") || part[0].is("**")) {
      return keep_common(called, {});  // it cannot be told which parameters are filled
    } else if (part.size() > 2 && part[0].is_name() && part[1].is("=")) {
      fill(std::string(part[0].text), truth_of(part.subspan(2), state, provider_));
    } else {
      fill_next(truth_of(part, state, provider_));
    }
  }
  for (const auto& [name, text] : called.parameters) {
    if (!filled.count(name) && (text == "True" || text == "False")) given[name] = text == "True";
  }
  keep_common(called, given);
}

void CallWalk::keep_common(const LocalFunction& called, const Truths& given) {
  const auto [known, is_first] = given_.emplace(called.definition, given);
  if (is_first) return;
  std::erase_if(known->second, [&](const auto& one) {
    const auto again = given.find(one.first);
    return again == given.end() || again->second != one.second;
  });
}

size_t CallWalk::record(Call call) {
  for (size_t n = 0; n < result_.calls.size(); ++n) {
    if (same_call(result_.calls[n], call)) return n;
  }
  result_.calls.push_back(std::move(call));
  return result_.calls.size() - 1;
}

void CallWalk::find_uses(TokenSpan targets, TokenSpan value, const PythonState& state) {
  const std::vector<TokenSpan> names = split_at_commas(without_brackets(targets));
  const std::vector<TokenSpan> values = split_at_commas(without_brackets(value));
  for (size_t part = 0; part < values.size(); ++part) {
    const TokenSpan tokens = values[part];
    for (size_t n = 0; n + 3 < tokens.size(); ++n) {
      if (!tokens[n].is_name() || !tokens[n + 1].is("[") || tokens[n + 2].kind != PythonTokenKind::Number ||
          !tokens[n + 3].is("]")) {
        continue;
      }
      const AbstractValue* const known = state.find(std::string(tokens[n].text));
      if (!known || known->kind != Kind::Result || known->call >= result_.calls.size()) continue;
      ResultUse use;
      use.index = std::strtoull(std::string(tokens[n + 2].text).c_str(), nullptr, 10);
      use.line = tokens[n].line;
      if (names.size() == values.size()) use.name = name_in(text_of(names[part]), true);
      std::vector<ResultUse>& uses = result_.calls[known->call].uses;
      if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
    }
  }
}

}  // namespace ropewalk
