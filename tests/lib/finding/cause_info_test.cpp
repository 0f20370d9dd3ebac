#include "lib/finding/cause_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace ropewalk {
namespace {

// The words in quotes that are put together as ids are, in the sources of these folders.
std::set<std::string> ids_in(const std::vector<std::string>& folders) {
  static const std::regex id("\"([a-z]+[0-9]*(-[a-z0-9]+)+)\"");
  std::set<std::string> ids;
  for (const std::string& folder : folders) {
    for (const auto& file : std::filesystem::directory_iterator(std::string(ROPEWALK_SOURCE_DIR) + "/" + folder)) {
      if (file.path().extension() != ".cpp") continue;
      std::ostringstream text;
      text << std::ifstream(file.path()).rdbuf();
      const std::string content = text.str();
      for (auto it = std::sregex_iterator(content.begin(), content.end(), id); it != std::sregex_iterator(); ++it) {
        ids.insert((*it)[1]);
      }
    }
  }
  return ids;
}

TEST(CauseInfo, EveryCauseThatCanBeClaimedHasAPage) {
  const std::set<std::string> claimed = ids_in({"lib/diagnose", "lib/families/attention", "lib/families/cache_store",
                                                "lib/families/rotary", "lib/rope", "lib/init", "lib/compat"});
  EXPECT_GT(claimed.size(), 40u);
  EXPECT_TRUE(claimed.contains("missing-barrier"));
  const std::set<std::string> words{"top-left", "bottom-right", "cache-store", "modernbert-decoder",
                                    "flash-attn"};  // no causes
  for (const std::string& id : claimed) EXPECT_TRUE(words.contains(id) || cause_named(id)) << id;
  EXPECT_NE(cause_named("grid-limit"), nullptr);  // claimed by the machine, which knows the limits
}

TEST(CauseInfo, EveryPageIsOfACauseThatCanBeClaimed) {
  const std::set<std::string> claimed =
      ids_in({"lib/diagnose", "lib/families/attention", "lib/families/cache_store", "lib/families/rotary", "lib/rope",
              "lib/compat", "lib/init", "lib/machine"});
  for (const CauseInfo& cause : all_causes()) EXPECT_TRUE(claimed.contains(std::string(cause.id))) << cause.id;
}

TEST(CauseInfo, PagesAreCompleteSentencesAndIdsAreUnique) {
  std::set<std::string_view> ids;
  for (const CauseInfo& cause : all_causes()) {
    EXPECT_TRUE(ids.insert(cause.id).second) << cause.id;
    EXPECT_FALSE(cause.title.empty() || cause.title.ends_with('.')) << cause.id;
    for (const std::string_view text : {cause.means, cause.evidence, cause.advice}) {
      EXPECT_TRUE(text.ends_with('.')) << cause.id << ": " << text;
    }
  }
  EXPECT_EQ(cause_named("none"), nullptr);
}

}  // namespace
}  // namespace ropewalk
