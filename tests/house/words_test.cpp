// One word for one thing, and the field's: what is not written any more.
#include <gtest/gtest.h>

#include <regex>

#include "lib/base/types.h"
#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

// Whole words, in any case; beside them what is written instead.
constexpr const char* unused_words =
    "anew|"                                                              // again, rebuilt
    "heed(s|ed|ing)?|"                                                   // honor
    "in silence|"                                                        // silently
    "(that|which) there are not|"                                        // that do not exist
    "in front of|"                                                       // before, before the start
    "own error|"                                                         // internal error
    "twins?|"                                                            // correct counterpart
    "planted|"                                                           // seeded
    "kept PTX|"                                                          // checked-in PTX
    "excuses?|"                                                          // waiver
    "behind (the|its|their) (last|end)|"                                 // past the end
    "held against|"                                                      // compared with, checked against
    "(un)?disputed|disputes?|"                                           // precise rerun
    "(is|are|was|were|be|been|not) told(?! (apart|by|from|the|to)\\b)|"  // reported
    "made small(er)?";                                                   // minimized

// Names in C++ code; beside them what they are called instead.
constexpr const char* unused_names =
    "Place|(Input|Key|Launch|Memory|Parameter|Ring|Stream)Places?|places?_of|place_text|"  // location, position, offset
    "no_guard|guard_(negated|of)|RotaryGuards?|"                                           // predicate, precondition
    "Told|told_|is_told|"                                                                  // wording, reported
    "Kept[A-Z]\\w+|kept_(calls|campaign)|"                                                 // saved
    "[Ss]pread_\\w+|Spread|Disputed|"                                                      // propagate, rerun
    "excuse_\\w+|Planted\\w+";                                                             // waive, seeded

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

TEST(Words, NamesThatAreNotUsed) {
  const std::regex pattern("\\b(" + std::string(unused_names) + ")\\b", std::regex::optimize);
  static const std::regex comment("\\s*//.*");
  u64 files = 0;
  for (const std::string& path : repository_files()) {
    if (!(path.ends_with(".h") || path.ends_with(".cpp")) || path == "tests/house/words_test.cpp") continue;
    ++files;
    u64 number = 0;
    for (const std::string& line : lines_of(content_of(path))) {
      ++number;
      if (std::regex_match(line, comment)) continue;
      EXPECT_FALSE(std::regex_search(line, pattern)) << path << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(files, 1000u);
}

}  // namespace
}  // namespace ropewalk::testing
