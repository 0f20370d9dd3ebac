#include "lib/compat/read_calls.h"

#include <algorithm>
#include <unordered_map>

#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk {
namespace {

constexpr size_t most_ways = 512;

bool is_definition(const PythonStatement& statement) {
  return statement.begins("def") ||
         (statement.begins("async") && statement.tokens.size() > 1 && statement.tokens[1].is("def"));
}

// The names a def's parameters give inside of it.
std::vector<std::string> parameter_names(TokenSpan tokens) {
  const size_t open = find_outside(tokens, "(");
  if (open >= tokens.size()) return {};
  std::vector<std::string> names;
  for (TokenSpan part : split_at_commas(tokens.subspan(open + 1, closing_of(tokens, open) - open - 1))) {
    while (!part.empty() && !part[0].is_name()) part = part.subspan(1);
    if (!part.empty()) names.emplace_back(part[0].text);
  }
  return names;
}

// Whether the handlers of a try take a refused call and go on.
bool catches_refusals(const PythonStatement& handler) {
  const TokenSpan tokens = handler.tokens;
  const bool fits = tokens.size() == 1 || std::any_of(tokens.begin(), tokens.end(), [](const PythonToken& token) {
                      return token.is("TypeError") || token.is("Exception") || token.is("BaseException");
                    });
  return fits && std::none_of(handler.body.begin(), handler.body.end(),
                              [](const PythonStatement& one) { return one.begins("raise"); });
}

// Whether the try asks for a package that is not there, so that its handlers run.
bool asks_for_another(const std::vector<PythonStatement>& body, const ProviderView& provider) {
  for (const PythonStatement& statement : body) {
    const TokenSpan tokens = statement.tokens;
    for (size_t n = 0; n + 2 < tokens.size(); ++n) {
      if (!tokens[n].is_name() || !tokens[n + 1].is("(")) continue;
      const size_t close = closing_of(tokens, n + 1);
      const std::string package = asked_package(tokens.subspan(n, std::min(close + 1, tokens.size()) - n));
      if (!package.empty() && !same_package(package, provider.package)) return true;
    }
  }
  return false;
}

}  // namespace

CallsRead read_calls(const PythonFile& file, const ProviderView& provider) { return CallWalk(file, provider).run(); }

CallWalk::CallWalk(const PythonFile& file, const ProviderView& provider)
    : file_(file), provider_(provider), relevant_(relevant_names(file, provider)) {}

CallsRead CallWalk::run() {
  const States ends = block(file_.statements, {PythonState{}});
  in_module_ = false;
  const std::vector<Later> later = std::move(later_);
  for (const PythonState& end : ends) {
    for (const Later& one : later) function(*one.function, end, one.scope);
  }
  std::stable_sort(result_.calls.begin(), result_.calls.end(),
                   [](const Call& a, const Call& b) { return a.line < b.line; });
  return std::move(result_);
}

CallWalk::States CallWalk::limited(States states) {
  if (states.size() < 2) return states;
  States unique;
  std::unordered_multimap<size_t, size_t> by_hash;  // indices
  for (PythonState& state : states) {
    if (unique.size() >= most_ways) {
      result_.too_many_ways = true;
      break;
    }
    const size_t hash = state.hash();
    const auto [first, last] = by_hash.equal_range(hash);
    if (std::any_of(first, last, [&](const auto& one) { return unique[one.second] == state; })) continue;
    by_hash.emplace(hash, unique.size());
    unique.push_back(std::move(state));
  }
  return unique;
}

CallWalk::States CallWalk::block(const std::vector<PythonStatement>& body, States states) {
  for (size_t n = 0; n < body.size() && !states.empty();) states = statement(body, n, std::move(states));
  return states;
}

CallWalk::States CallWalk::statement(const std::vector<PythonStatement>& body, size_t& n, States states) {
  const PythonStatement& one = body[n];
  if (one.begins("if")) return branches(body, n, std::move(states));
  if (one.begins("try")) return attempt(body, n, std::move(states));
  ++n;
  if (is_definition(one)) {
    const size_t name = one.begins("async") ? 2 : 1;
    const std::string scope =
        (scope_.empty() ? "" : scope_ + ".") + std::string(name < one.tokens.size() ? one.tokens[name].text : "");
    if (in_module_) {
      later_.push_back({&one, scope});
    } else {
      for (const PythonState& state : states) function(one, state, scope);
    }
    return states;
  }
  if (one.begins("class")) {
    const std::string outer = scope_;
    scope_ += (scope_.empty() ? "" : ".") + std::string(one.tokens.size() > 1 ? one.tokens[1].text : "");
    block(one.body, states);
    scope_ = outer;
    return states;
  }
  if (one.body.empty()) {
    States out;
    for (PythonState& state : states) {
      for (PythonState& next : simple(one, std::move(state))) out.push_back(std::move(next));
    }
    return limited(std::move(out));
  }
  // Loops and with: the block is taken once.
  for (const PythonState& state : states) find_calls(one.tokens, state);
  const States before = states;
  States after = block(one.body, std::move(states));
  return after.empty() ? before : after;
}

CallWalk::States CallWalk::branches(const std::vector<PythonStatement>& body, size_t& n, States states) {
  const size_t first = n++;
  while (n < body.size() && (body[n].begins("elif") || body[n].begins("else"))) ++n;
  bool matters = false;
  for (size_t arm = first; arm < n; ++arm) matters = matters || changes_any(body[arm].body, relevant_);
  States out;
  for (PythonState& state : states) {
    const PythonState before = state;
    bool open = true, forked = false;
    States ends;
    for (size_t arm = first; arm < n && open; ++arm) {
      PythonState taken = state;
      if (!body[arm].begins("else")) {
        const TokenSpan condition = TokenSpan(body[arm].tokens).subspan(1);
        find_calls(condition, state);
        const std::optional<bool> truth = truth_of(condition, state, provider_);
        if (truth == false) continue;
        open = !truth;
        forked = forked || !truth;
        if (!truth) {
          assume(condition, true, taken, provider_);
          assume(condition, false, state, provider_);
        }
      } else {
        open = false;
      }
      for (PythonState& end : block(body[arm].body, {std::move(taken)})) ends.push_back(std::move(end));
    }
    if (open) ends.push_back(std::move(state));
    if (forked && !matters) {
      out.push_back(before);
    } else {
      for (PythonState& end : ends) out.push_back(std::move(end));
    }
  }
  return limited(std::move(out));
}

CallWalk::States CallWalk::attempt(const std::vector<PythonStatement>& body, size_t& n, States states) {
  const PythonStatement& tried = body[n++];
  const bool fails = asks_for_another(tried.body, provider_);
  const States before = states;
  bool caught = false;
  for (size_t m = n; m < body.size() && body[m].begins("except"); ++m) caught = caught || catches_refusals(body[m]);
  if (!fails) {
    const bool outer = catching_;
    catching_ = catching_ || caught;
    states = block(tried.body, std::move(states));
    catching_ = outer;
  }
  for (; n < body.size() && (body[n].begins("except") || body[n].begins("else") || body[n].begins("finally")); ++n) {
    if (body[n].begins("except")) {
      const States handled = block(body[n].body, before);
      if (fails) states = handled;
    } else if (!fails || body[n].begins("finally")) {
      states = block(body[n].body, std::move(states));
    }
  }
  return states;
}

void CallWalk::function(const PythonStatement& definition, PythonState state, const std::string& scope) {
  const std::string outer = scope_;
  scope_ = scope;
  for (const std::string& name : parameter_names(definition.tokens)) state.set(name, {});
  block(definition.body, {std::move(state)});
  scope_ = outer;
}

}  // namespace ropewalk
