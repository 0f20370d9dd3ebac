#include "lib/compat/read_calls.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/compat/relevant.h"
#include "lib/compat/walk.h"

namespace ropewalk {
namespace {

constexpr size_t most_ways = 512;
const std::string no_context = ".";  // that no expression begins with

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

CallsRead read_calls(const PythonFile& file, const ProviderView& provider, const CallOrder& order) {
  return CallWalk(file, provider, order).run();
}

CallWalk::CallWalk(const PythonFile& file, const ProviderView& provider, const CallOrder& order)
    : file_(file), provider_(provider), order_(order), relevant_(relevant_names(file, provider)) {}

CallsRead CallWalk::run() {
  const States module_ends = block(file_.statements, {PythonState{}});
  in_module_ = false;
  functions(std::move(later_), module_ends);
  std::stable_sort(result_.calls.begin(), result_.calls.end(),
                   [](const Call& a, const Call& b) { return a.line < b.line; });
  return std::move(result_);
}

CallWalk::States CallWalk::limited(States states, u64 line) {
  if (states.size() < 2) return states;
  for (PythonState& state : states) {
    if (!asked_) break;
    const auto is_over = [&](const auto& one) {
      return asked_->last(one.first) <= line && !one.first.starts_with(own_);
    };
    std::erase_if(state.values, is_over);
    std::erase_if(state.decided, is_over);
    std::erase_if(state.domains, is_over);
  }
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
    const std::string scope = (scope_.empty() ? "" : scope_ + ".") + defined_name(one);
    if (in_module_) {
      later_.push_back({&one, scope});
    } else {
      for (const PythonState& state : states) function(one, state, scope, {});
    }
    return states;
  }
  if (one.begins("class")) {
    const std::string outer = scope_;
    scope_ += (scope_.empty() ? "" : ".") + defined_name(one);
    block(one.body, states);
    scope_ = outer;
    return states;
  }
  if (one.body.empty()) {
    States out;
    for (PythonState& state : states) {
      for (PythonState& next : simple(one, std::move(state))) out.push_back(std::move(next));
    }
    return limited(std::move(out), one.tokens.back().line);
  }
  // Loops and with: the block is taken once. What a loop gives a truth may have it from the round before.
  for (const PythonState& state : states) find_calls(one.tokens, state);
  if (one.begins("for") || one.begins("while")) {
    const std::set<std::string> assigned = assigned_names(one.body);
    for (PythonState& state : states) state.doubt(assigned);
  }
  const States before = states;
  States after = block(one.body, std::move(states));
  return after.empty() ? before : after;
}

CallWalk::States CallWalk::branches(const std::vector<PythonStatement>& body, size_t& n, States states) {
  const size_t first = n++;
  while (n < body.size() && (body[n].begins("elif") || body[n].begins("else"))) ++n;
  bool matters = false;
  std::set<std::string> assigned;
  for (size_t arm = first; arm < n; ++arm) {
    matters = matters || changes_any(body[arm].body, relevant_);
    assigned.merge(assigned_names(body[arm].body));
  }
  u64 line = 0;
  for (size_t arm = first; arm < n; ++arm) {
    line = std::max({line, body[arm].tokens.back().line, last_line_of(body[arm].body)});
  }
  States out;
  for (PythonState& state : states) {
    PythonState before = state;
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
      before.doubt(assigned);
      out.push_back(std::move(before));
    } else {
      for (PythonState& end : ends) out.push_back(std::move(end));
    }
  }
  return limited(std::move(out), line);
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

void CallWalk::functions(std::vector<Later> later, const States& module_ends) {
  while (!later.empty()) {
    const auto waits = [&](const Later& one) {
      const auto& before = order_.before(*one.function);
      return std::any_of(later.begin(), later.end(), [&](const Later& other) { return before.count(other.function); });
    };
    auto next = std::find_if_not(later.begin(), later.end(), waits);
    // Functions that call each other in a circle: one of them is walked as if anybody called it.
    if (next == later.end()) {
      next = later.begin();
      given_[next->function].clear();
      if (const PythonStatement* const first = order_.comes_after(*next->function)) ends_[first].insert(Truths{});
    }
    const Later one = *next;
    later.erase(next);
    visit(one, module_ends);
  }
}

void CallWalk::visit(const Later& one, const States& module_ends) {
  const PythonStatement& definition = *one.function;
  const auto given = given_.find(&definition);
  if (order_.is_local(definition) && given == given_.end()) return;  // no call of it is reached
  std::set<Truths> starts = {{}};
  if (const PythonStatement* const first = order_.comes_after(definition)) starts = ends_[first];
  for (const PythonState& end : module_ends) {
    for (Truths known : starts) {
      if (given != given_.end()) known.insert(given->second.begin(), given->second.end());
      ends_[&definition].merge(function(definition, end, one.scope, known));
    }
  }
}

std::set<CallWalk::Truths> CallWalk::function(const PythonStatement& definition, PythonState state,
                                              const std::string& scope, const Truths& known) {
  std::set<Truths> all;
  const std::vector<NamedText> parameters = parameters_of(definition.tokens);
  const std::string outer = std::exchange(scope_, scope);
  AskedLines* const outer_asked =
      std::exchange(asked_, &asked_lines_.try_emplace(&definition, definition.body).first->second);
  const bool has_context = order_.has_context(definition) && !parameters.empty();
  const std::string outer_own = std::exchange(own_, has_context ? parameters[0].name + "." : no_context);
  std::set<Truths>* const outer_ends = std::exchange(ends_here_, &all);
  const bool were_too_many = std::exchange(result_.too_many_ways, false);
  for (const NamedText& parameter : parameters) state.set(parameter.name, {});
  for (const auto& [text, truth] : known) state.decided[text] = truth;
  for (const PythonState& end : block(definition.body, {std::move(state)})) come_to_end(end);
  if (result_.too_many_ways) all.insert(Truths{});  // a way that was left out may end with anything
  result_.too_many_ways = result_.too_many_ways || were_too_many;
  ends_here_ = outer_ends;
  own_ = outer_own;
  asked_ = outer_asked;
  scope_ = outer;
  return all;
}

void CallWalk::come_to_end(const PythonState& state) {
  if (!ends_here_) return;
  Truths own;
  for (const auto& [text, truth] : state.decided) {
    if (text.starts_with(own_)) own[text] = truth;
  }
  ends_here_->insert(std::move(own));
}

}  // namespace ropewalk
