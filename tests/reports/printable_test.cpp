#include "reports/printable.h"

#include <gtest/gtest.h>

namespace ropewalk::reports {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "abc", "Größe", "\u0394x \u20ac \U0001F600", "a\xc2\xa0z"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31m\n\tb\x7f"), "a\\x1b[31m\\x0a b\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, ReplacesWhatIsNoUtf8) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a" + r + "b");
  EXPECT_EQ(printable("\xc0\xaf"), r + r);  // an overlong "/"
  EXPECT_EQ(printable("\xe0\x80\xaf"), r + r + r);
  EXPECT_EQ(printable("\xed\xa0\x80"), r + r + r);          // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), r + r + r + r);  // past U+10FFFF
  EXPECT_EQ(printable("\xe2\x82"), r + r);                  // cut off
  EXPECT_EQ(printable("\xef\xbf\xbe"), r);                  // U+FFFE, which XML forbids
}

TEST(Printable, EscapesForHtml) {
  EXPECT_EQ(escaped_for_html("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

}  // namespace
}  // namespace ropewalk::reports
