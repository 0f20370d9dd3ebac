#include <fmt/format.h>

#include "lib/compat/check_compatibility.h"
#include "tools/atlas/bug.h"
#include "tools/parse/parse.h"

namespace ropewalk::tools {
namespace {

// A caller that a version of the provider breaks, and one that knows this version.
struct CompatBug {
  int row;
  const char* title;
  std::vector<std::string> related;
  const char* provider;
  const char* caller;
  const char* healthy_caller;
  const char* cause;
};

std::vector<CompatBug> all_compat_bugs() {
  return {{71,
           "the backward is called without softcap",
           {"NVIDIA/TransformerEngine#1414", "NVIDIA/TransformerEngine#1467"},
           "flash-attn==2.6.3",
           "transformer-engine==1.13",
           "transformer-engine==2.1",
           "required-parameter-added"}};
}

std::string case_of(const CompatBug& bug, const char* caller) {
  return fmt::format("{} with {}", caller, bug.provider);
}

CaseResult run(const CompatBug& bug, const char* caller) {
  const Stopwatch watch;
  const compat::Provider provider = compat::load_provider(bug.provider, "");
  return result_of(check_compatibility(*load_caller(caller, provider), provider), "signatures", case_of(bug, caller),
                   quoted_line("attn-fuzz", {"compat", "--provider", bug.provider, "--caller", caller}), watch);
}

}  // namespace

std::vector<AtlasBug> compat_bugs(const Request&) {
  std::vector<AtlasBug> bugs;
  for (const CompatBug& bug : all_compat_bugs()) {
    bugs.push_back({bug.row,
                    bug.title,
                    bug.related,
                    case_of(bug, bug.caller),
                    {Rule::SignatureMismatch, "", 0, bug.cause},
                    "",
                    case_of(bug, bug.caller),
                    case_of(bug, bug.healthy_caller),
                    [bug] { return run(bug, bug.caller); },
                    [bug]() -> std::optional<CaseResult> { return run(bug, bug.healthy_caller); }});
  }
  return bugs;
}

}  // namespace ropewalk::tools
