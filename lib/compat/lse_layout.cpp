#include "lib/compat/lse_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::compat {
namespace {

struct LayoutChange {
  PackageVersion at;
  PackageVersion before;  // a version with the older layout
  std::string older;
};

// The latest change of the layout up to `version`.
std::optional<LayoutChange> last_change(const std::string& function, const PackageVersion& version) {
  const SignatureTable& table = shipped_signatures();
  std::optional<LayoutChange> found;
  for (const std::vector<SignatureTable::Change>& changes : table.functions) {
    for (size_t n = 1; n < changes.size(); ++n) {
      const Signature &now = changes[n].signature, &then = changes[n - 1].signature;
      if (now.name != function || now.lse_layout == then.lse_layout || changes[n].from > version) continue;
      found = LayoutChange{changes[n].from, changes[n - 1].from, then.lse_layout};
      for (const PackageVersion& one : table.versions) {
        if (one < changes[n].from) found->before = one;
      }
    }
  }
  return found;
}

bool names_lse(const PythonNode& node) {
  return (node.is("Name") || node.is("Attribute")) && node.word.find("lse") != std::string::npos;
}

// Whether one statement brings log-sum-exp and the version of the change together: `lse_packed =
// _flash_attn_2_6_0_plus`.
bool distinguishes(const std::vector<PythonNode>& body, const PackageVersion& change) {
  bool found = false;
  visit_statements(body, [&](const PythonNode& statement) {
    bool lse = false, asks = false;
    visit_expressions(statement, [&](const PythonNode& node) {
      lse = lse || names_lse(node);
      const auto version = version_in_name(node.word);
      asks = asks || (version && *version == change);
    });
    found = found || (lse && asks);
  });
  return found;
}

// The first statement that uses the shape: `lse.view(*lse.shape[:-1], 2, n)`.
const PythonNode* shape_use(const std::vector<PythonNode>& body) {
  const PythonNode* first = nullptr;
  visit_statements(body, [&](const PythonNode& statement) {
    visit_expressions(statement, [&](const PythonNode& node) {
      if (!first && node.is("Attribute") && node.word == "shape" && names_lse(node.one("value"))) first = &statement;
    });
  });
  return first;
}

}  // namespace

void tell_lse_layout(const PythonFile& file, const Provider& provider,
                     const std::function<std::vector<Call>(const ProviderView&)>& calls_of, std::vector<Call>& calls) {
  if (!provider.version || !same_package(provider.package, shipped_signatures().package)) return;
  for (Call& call : calls) {
    const bool uses = std::any_of(call.uses.begin(), call.uses.end(),
                                  [](const ResultUse& use) { return use.name.find("lse") != std::string::npos; });
    const std::optional<LayoutChange> change = uses ? last_change(call.function, *provider.version) : std::nullopt;
    if (!change || distinguishes(file.statements, change->at)) continue;
    const PythonNode* const use = shape_use(file.statements);
    if (!use) continue;
    ProviderView older = provider.view();
    older.version = change->before;
    const std::vector<Call> before = calls_of(older);
    const bool serves_both =
        std::any_of(before.begin(), before.end(), [&](const Call& one) { return one.function == call.function; });
    if (!serves_both) continue;
    call.lse_layout = change->older;
    call.lse_text = fmt::format("{}:{}: {}", file.path, use->line, use->text);
  }
}

}  // namespace ropewalk::compat
