// One word for one thing, and the field's: what is not written any more.
#include <gtest/gtest.h>

#include <regex>

#include "lib/base/types.h"
#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

// Whole words, in any case; beside them what is written instead.
constexpr const char* unused_words =
    "anew|"                               // again, rebuilt
    "heed(s|ed|ing)?|"                    // honor
    "in silence|"                         // silently
    "(that|which) there are not|"         // that do not exist
    "in front of|"                        // before, before the start
    "own error|"                          // internal error
    "healthy twins?|"                     // correct counterpart
    "planted|"                            // seeded
    "kept PTX|"                           // checked-in PTX
    "excuses?|"                           // waiver
    "behind (the|its|their) (last|end)|"  // past the end
    "made small(er)?";                    // minimized

bool is_read(const std::string& path) {
  static const std::regex text(R"(.*\.(h|cpp|cu|cuh|py|sh|md|txt|cmake|json|yml)|.*Makefile)");
  return std::regex_match(path, text) && path != "CHANGELOG.md" && path != "tests/house/words_test.cpp";
}

TEST(Words, ThatAreNotUsed) {
  const std::regex pattern("\\b(" + std::string(unused_words) + ")\\b", std::regex::icase | std::regex::optimize);
  u64 files = 0;
  for (const std::string& path : repository_files()) {
    if (!is_read(path)) continue;
    ++files;
    u64 number = 0;
    for (const std::string& line : lines_of(content_of(path))) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, pattern)) << path << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(files, 1000u);
}

}  // namespace
}  // namespace ropewalk::testing
