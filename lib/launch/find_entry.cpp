#include "lib/launch/find_entry.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "lib/base/demangle.h"
#include "lib/base/nearest.h"

namespace ropewalk {
namespace {

constexpr size_t most_candidates = 8;
constexpr size_t ways = 6;  // that an entry is named in

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter != ' ') out += letter;
  }
  return out;
}

std::string without_namespaces(const std::string& name) {
  int angles = 0;
  for (size_t at = name.size(); at-- > 1;) {
    if (name[at] == '>') ++angles;
    if (name[at] == '<') --angles;
    if (angles == 0 && name[at] == ':' && name[at - 1] == ':') return name.substr(at + 1);
  }
  return name;
}

// The names that an entry goes by, the most exact first.
std::array<std::string, ways> names_of(const ptx::Function& function) {
  const std::string full = demangled(function.name), plain = without_parameters(full),
                    base = without_template_arguments(plain);
  return {function.name,         without_blanks(full),
          without_blanks(plain), without_blanks(without_namespaces(plain)),
          without_blanks(base),  without_blanks(without_namespaces(base))};
}

std::string list_of(const std::vector<const ptx::Function*>& functions) {
  std::string out;
  for (size_t n = 0; n < functions.size() && n < most_candidates; ++n) {
    const std::string full = demangled(functions[n]->name);
    out += (n ? ", " : "") + full;
    if (full != functions[n]->name) out += fmt::format(" ({})", functions[n]->name);
  }
  if (functions.size() > most_candidates) out += fmt::format(" and {} more", functions.size() - most_candidates);
  return out;
}

}  // namespace

FoundEntry find_entry(const ptx::Module& module, const std::string& name) {
  std::vector<const ptx::Function*> entries;
  for (const ptx::Function& function : module.functions) {
    if (function.is_entry) entries.push_back(&function);
  }
  const auto judged = [&](const std::vector<const ptx::Function*>& fitting) -> FoundEntry {
    if (fitting.size() == 1) return {fitting.front(), ""};
    return {nullptr, fmt::format("\"{}\" is the name of {} entries: {}", name, fitting.size(), list_of(fitting))};
  };
  for (size_t way = 0; way < ways; ++way) {
    std::vector<const ptx::Function*> fitting;
    for (const ptx::Function* entry : entries) {
      if (names_of(*entry)[way] == (way == 0 ? name : without_blanks(name))) fitting.push_back(entry);
    }
    if (!fitting.empty()) return judged(fitting);
  }
  std::vector<const ptx::Function*> fitting;
  for (const ptx::Function* entry : entries) {
    if (!name.empty() && entry->name.find(name) != std::string::npos) fitting.push_back(entry);
  }
  if (!fitting.empty()) return judged(fitting);
  std::vector<std::string> names;
  for (const ptx::Function* entry : entries) names.push_back(without_parameters(demangled(entry->name)));
  return {nullptr, fmt::format("the PTX has no entry \"{}\", {}", name, did_you_mean(name, names))};
}

}  // namespace ropewalk
