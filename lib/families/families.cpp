#include "lib/families/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/families/list.h"
#include "lib/problem/call_text.h"

#define RW_FAMILY(name, program) \
  namespace ropewalk::name {     \
  const Family& family();        \
  }
ROPEWALK_FAMILIES(RW_FAMILY)
#undef RW_FAMILY

namespace ropewalk::families {

const std::vector<const Family*>& all_families() {
#define RW_FAMILY(name, program) &name::family(),
  static const std::vector<const Family*> all{ROPEWALK_FAMILIES(RW_FAMILY)};
#undef RW_FAMILY
  return all;
}

const Family& family_of(const Problem& problem) {
  return **std::ranges::find(all_families(), kind_of(problem), &Family::name);
}

Problem parse_problem(std::string_view text) {
  const CallText call = CallText::parse(text);
  std::vector<std::string> names;
  for (const Family* family : all_families()) {
    if (family->name == call.name) return family->parse(text);
    names.push_back(family->name);
  }
  throw InputError(call.location(),
                   fmt::format("no problem \"{}\", {}", one_line(call.name), did_you_mean(call.name, names)));
}

}  // namespace ropewalk::families
