// What keeps a caller's source from going on: calls that do not come back, and decorators that skip a test.
#include <algorithm>

#include "lib/compat/conditions.h"
#include "lib/compat/version_tests.h"

namespace ropewalk::compat {
namespace {

bool is_among(const std::string& path, std::initializer_list<const char*> paths) {
  return std::ranges::find(paths, path) != paths.end();
}

// By what is called, as it is imported.
bool never_comes_back(const PythonNode& callee, const std::string& path) {
  const bool is_of_test = callee.is("Attribute") && callee.one("value").word == "self";
  return is_among(path, {"sys.exit", "os._exit", "os.abort", "exit", "quit", "pytest.skip", "pytest.fail",
                         "pytest.exit", "pytest.xfail"}) ||
         (is_of_test && (callee.word == "skipTest" || callee.word == "fail"));
}

// The argument at a position or of a name; a node without a kind where there is none.
const PythonNode& argument(const PythonNode& call, size_t position, const std::string& name) {
  static const PythonNode none;
  if (position < call.all("args").size()) return call.all("args")[position];
  const auto& keywords = call.all("keywords");
  const auto found = std::ranges::find_if(keywords, [&](const PythonNode& one) { return one.word == name; });
  return found == keywords.end() ? none : found->one("value");
}

}  // namespace

bool Conditions::may_end(const PythonNode& definition) const {
  bool found = false;
  visit_statements(definition.all("body"), [&](const PythonNode& one) {
    const PythonNode& callee = one.one("value").one("func");
    found = found || one.is("Raise") || one.is("Assert") ||
            (one.is("Expr") && never_comes_back(callee, imported_path(callee, {})));
  });
  return found;
}

bool Conditions::never_returns(const PythonNode& definition) const {
  bool returns = false;
  visit_statements(definition.all("body"), [&](const PythonNode& one) { returns = returns || one.is("Return"); });
  const std::vector<PythonNode>& body = definition.all("body");
  return !returns && !body.empty() && body.back().is("Raise");
}

bool Conditions::asks_inside(const PythonNode& node, const PythonFile& file) const {
  const VersionTests* const tests = modules_.tests_of(file);
  return tests && tests->asks_inside(node);
}

std::optional<bool> Conditions::ends(const PythonNode& call, const PythonState& state) const {
  if (!call.is("Call")) return false;
  const PythonNode& callee = call.one("func");
  const std::string path = imported_path(callee, state);
  if (never_comes_back(callee, path)) return true;
  if (path == "pytest.importorskip") {
    const auto package = constant_of(argument(call, 0, "modname"), state);
    const PythonNode& minimum = argument(call, 1, "minversion");
    if (!minimum || !package || !is_provider(package->text.substr(0, package->text.find('.')))) return false;
    const auto wanted = constant_of(minimum, state);
    const auto version = wanted ? parse_version(wanted->text) : std::nullopt;
    if (!version || !provider_.version) return std::nullopt;
    return *provider_.version < *version;
  }
  // stack.enter_context(needs_new_version())
  if (callee.is("Attribute") && is_among(callee.word, {"enter_context", "enter_async_context"})) {
    return ends_on_entry(call.one("args"), state);
  }
  const AbstractValue function = named(callee, state);
  if (function.kind == AbstractValue::Kind::Class) return ends_in_method(function, "__init__", call, state);
  if (function.kind != AbstractValue::Kind::Defined || is_generator(*function.definition)) return false;
  if (never_returns(*function.definition)) return true;
  return ends_inside(function, call, state);
}

std::optional<bool> Conditions::ends_inside(const AbstractValue& function, const PythonNode& call,
                                            const PythonState& state) const {
  if (!may_end(*function.definition)) return false;
  const Run run = run_of(function, call, state);
  if (run.known || run.comes_back) return run.raised;
  const VersionTests* const tests = modules_.tests_of(*function.file);
  const bool asks = (tests && tests->ends_by_version(*function.definition)) || asks_inside(call, file_);
  return asks ? std::nullopt : std::optional(false);
}

std::optional<bool> Conditions::skip_condition(const PythonNode& mark, const PythonState& state) const {
  const std::string path = imported_path(mark.is("Call") ? mark.one("func") : mark, state);
  if (path == "pytest.mark.skip" || path == "unittest.skip") return true;
  const bool unless = path == "unittest.skipUnless";
  if (!unless && path != "unittest.skipIf" && path != "pytest.mark.skipif") return std::nullopt;
  const PythonNode& condition = argument(mark, 0, "condition");
  // pytest evaluates a text.
  const std::optional<bool> truth = condition.is("Text") ? std::nullopt : truth_of(condition, state);
  return truth ? std::optional(*truth != unless) : std::nullopt;
}

std::optional<bool> Conditions::skips(const PythonNode& decorator, const PythonState& state) const {
  if (const std::optional<bool> skipped = skip_condition(decorator, state)) return skipped;
  if (const auto mark = constant_of(decorator, state)) return mark->truth();
  const AbstractValue maker = named(decorator.is("Call") ? decorator.one("func") : decorator, state);
  const bool is_manager = maker.kind == AbstractValue::Kind::Class ||
                          (maker.kind == AbstractValue::Kind::Defined && is_generator(*maker.definition));
  if (decorator.is("Call") && is_manager) return ends_on_entry(decorator, state);
  const bool asks = asks_inside(decorator, file_) ||
                    (maker.kind == AbstractValue::Kind::Defined && asks_inside(*maker.definition, *maker.file));
  if (!asks) return false;
  return maker.kind == AbstractValue::Kind::Defined ? replaces(decorator, maker, state) : std::nullopt;
}

}  // namespace ropewalk::compat
