#include "lib/compat/reach.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::compat {

void Reach::mention(const std::string& name, const std::string& from, const std::string& unclear) {
  if (name != from && definitions_->count(name)) mentions_[name][from].insert(unclear);
}

std::map<std::string, std::string> Reach::unknown() const {
  std::map<std::string, std::string> unknown;
  for (bool grown = true; grown;) {
    grown = false;
    for (const std::string& name : *definitions_) {
      const auto found = mentions_.find(name);
      std::string test;
      bool is_used = false;
      for (const auto& [from, tests] : found == mentions_.end() ? decltype(mentions_)::mapped_type{} : found->second) {
        const bool is_sure = tests.count("") > 0;
        is_used = is_used || (is_sure && !unknown.count(from));
        if (!is_sure) test = *tests.begin();
      }
      if (is_used || unknown.count(name)) continue;
      grown = true;
      unknown[name] = test.empty()
                          ? fmt::format("is not known: on its ways with this version, the file does not use {}", name)
                          : depends_on(test);
    }
  }
  return unknown;
}

}  // namespace ropewalk::compat
