#include "lib/compat/lse_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/compat/lse_uses.h"

namespace ropewalk::compat {
namespace {

struct LayoutChange {
  PackageVersion at;
  PackageVersion other;  // a version with the other layout
  std::string here, there;
};

// The latest change of the layout up to `version`, or else the first one after it.
std::optional<LayoutChange> change_around(const std::string& function, const PackageVersion& version) {
  const SignatureTable& table = shipped_signatures();
  std::optional<LayoutChange> found;
  for (const std::vector<SignatureTable::Change>& changes : table.functions) {
    for (size_t n = 1; n < changes.size(); ++n) {
      const Signature &now = changes[n].signature, &then = changes[n - 1].signature;
      if (now.name != function || now.lse_layout == then.lse_layout) continue;
      if (changes[n].from > version) {
        if (!found) found = LayoutChange{changes[n].from, changes[n].from, then.lse_layout, now.lse_layout};
        continue;
      }
      found = LayoutChange{changes[n].from, changes[n - 1].from, now.lse_layout, then.lse_layout};
      for (const PackageVersion& one : table.versions) {
        if (one < changes[n].from) found->other = one;
      }
    }
  }
  return found;
}

// Of "batch, heads, longest q".
size_t dimensions_of(const std::string& layout) { return size_t(std::ranges::count(layout, ',')) + 1; }

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

}  // namespace

void tell_lse_layout(const PythonFile& file, const Provider& provider,
                     const std::function<std::vector<Call>(const ProviderView&)>& calls_of, CallsRead& read) {
  if (!provider.version || !same_package(provider.package, shipped_signatures().package)) return;
  for (Call& call : read.calls) {
    const bool uses = std::any_of(call.uses.begin(), call.uses.end(),
                                  [](const ResultUse& use) { return use.name.find("lse") != std::string::npos; });
    const std::optional<LayoutChange> change = uses ? change_around(call.function, *provider.version) : std::nullopt;
    if (!change || distinguishes(file.statements, change->at)) continue;
    std::set<u64> others;
    for (const Call& one : read.calls) {
      if (one.function != call.function) others.insert(one.line);
    }
    for (const Call& one : read.calls) {
      if (one.function == call.function) others.erase(one.line);
    }
    const LseUse use = first_use_of_lse(file, call.line, others, dimensions_of(change->here), read.reached);
    // What the older layout's dimensions mean is what the caller's words are taken for.
    const bool is_old = change->at <= *provider.version;
    if (!use.statement || (!is_old && (!use.fails || use.apart))) continue;
    ProviderView other = provider.view();
    other.version = change->other;
    const std::vector<Call> there = calls_of(other);
    const bool serves_both =
        std::any_of(there.begin(), there.end(), [&](const Call& one) { return one.function == call.function; });
    if (!serves_both) continue;
    call.lse_layout = change->there;
    if (use.apart) call.lse_unclear = "is that of this call is not known";
    if (!use.unclear.empty()) call.lse_unclear = "is used so " + depends_on(use.unclear);
    call.lse_text = fmt::format("{}:{}: {}", file.path, use.statement->line, use.statement->text);
  }
}

}  // namespace ropewalk::compat
