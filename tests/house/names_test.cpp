// A type has one definition: two of one name in one namespace are one type to the linker, whatever their files say.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

// Where each type that stands at the top of a namespace is defined in a header, by its full name.
std::map<std::string, std::vector<std::string>> definitions() {
  static const std::regex space("namespace ([\\w:]+) \\{"),
      type("(?:struct|class|enum class) (\\w+)( final)?( :.*)? \\{.*");
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& path : repository_files()) {
    if (!path.ends_with(".h") || path.starts_with("tests/")) continue;
    std::string within;
    for (const std::string& line : lines_of(content_of(path))) {
      std::smatch match;
      if (std::regex_match(line, match, space)) within = match[1];
      if (std::regex_match(line, match, type)) out[within + "::" + match[1].str()].push_back(path);
    }
  }
  return out;
}

TEST(Names, TypesHaveOneDefinition) {
  const auto all = definitions();
  EXPECT_GT(all.size(), 100u);
  for (const auto& [name, paths] : all) {
    EXPECT_EQ(paths.size(), 1u) << name << " is defined in " << paths.front() << " and in " << paths.back();
  }
}

}  // namespace
}  // namespace ropewalk::testing
