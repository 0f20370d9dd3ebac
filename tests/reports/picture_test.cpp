#include "reports/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <pugixml.hpp>

#include "reports/html_parts.h"
#include "reports/raster.h"

namespace ropewalk::reports {
namespace {

std::vector<i64> range(i64 first, i64 last) {
  std::vector<i64> out;
  for (i64 n = first; n < last; ++n) out.push_back(n);
  return out;
}

TEST(Picture, OfNothingIsEmpty) { EXPECT_TRUE(picture_of({}).empty()); }

TEST(Picture, RowsByColumns) {
  // Columns 2 and 3 of every row, and one element of the row after the last.
  EXPECT_EQ(picture_of({"x", {2, 2, 4}, {2, 3, 6, 7, 10, 11, 14, 15, 16}}),
            (std::vector<std::string>{"0 |..oo|", "1 |..oo|", "2 |..oo|", "3 |..oo|", "4 |X...| past the end",
                                      "   rows of 4 elements, a character is 1 element wide; o inside; X outside"}));
}

TEST(Picture, CellsTellTheLargestError) {
  const Raster raster = raster_of({"cos", {2, 128}, {1, 2, 130}, true, {3, 50, 2e5f}}, {64, 16, 5});
  ASSERT_TRUE(raster.has_errors);
  const auto& lines = raster.bands.front().lines;
  EXPECT_EQ(lines[0].cells[0].error, 3);
  EXPECT_EQ(lines[0].cells[1].error, 50);
  EXPECT_EQ(lines[0].cells[2].error, 0);
  EXPECT_EQ(lines[1].cells[1].error, 2e5f);

  pugi::xml_document page;
  add_picture(page, {"cos", {2, 128}, {1, 2, 130}, true, {3, 50, 2e5f}});
  std::vector<std::string> classes;
  for (const pugi::xml_node one : page.child("figure").child("svg").children("rect")) {
    classes.emplace_back(one.attribute("class").value());
  }
  EXPECT_EQ(classes, (std::vector<std::string>{"body", "in heat s1", "in heat s2", "in heat s4"}));
}

TEST(Picture, BeforeTheStart) {
  EXPECT_EQ(picture_of({"x", {2, 4}, {-1, 0}}),
            (std::vector<std::string>{"-1 |...X| before the start", " 0 |o...|", " 1 |....|",
                                      "    rows of 4 elements, a character is 1 element wide; o inside; X outside"}));
}

TEST(Picture, OfOneDimensionIsFoldedAndCountsElements) {
  const auto picture = picture_of({"x", {1000}, {0, 999, 1000}, false});
  ASSERT_EQ(picture.size(), 5u);
  EXPECT_EQ(picture[0].substr(0, 13), "   0..255 |o.");
  EXPECT_NE(picture[3].find("768..1023 |"), std::string::npos);
  EXPECT_NE(picture[3].find("oX"), std::string::npos);  // 999 inside, 1000 outside, in the last line
  EXPECT_EQ(picture[4], "           a character is 4 elements; o inside; X outside; a sample of the hits");
}

TEST(Picture, StaysSmallHoweverFarTheHits) {
  for (const i64 far : {i64{1} << 33, i64{1} << 40, std::numeric_limits<i64>::max() / 2}) {
    const auto picture = picture_of({"x", {1 << 16, 1 << 10}, {-far, 5, far}});
    EXPECT_EQ(picture.size(), 7u);  // one before, four inside, one past, the scale
    for (const std::string& line : picture) EXPECT_LE(line.size(), 160u);
    EXPECT_NE(picture.front().find('X'), std::string::npos);
    EXPECT_NE(picture[1].find('o'), std::string::npos);
    EXPECT_NE(picture[5].find('X'), std::string::npos);
  }
}

TEST(Picture, FitsIn64By8) {
  const auto picture = picture_of({"x", {100, 1000}, range(-5000, 105000)});
  ASSERT_EQ(picture.size(), 9u);  // 2 + 4 + 2 and the scale
  for (size_t n = 0; n + 1 < picture.size(); ++n) {
    const size_t bar = picture[n].find('|');
    EXPECT_LE(picture[n].find('|', bar + 1) - bar - 1, 64u);
    EXPECT_EQ(picture[n].find('.', bar), std::string::npos) << "every cell is hit";
  }
}

TEST(Picture, OfEmptyAndScalarTensors) {
  EXPECT_EQ(picture_of({"x", {}, {0}})[0].find("0"), 0u);
  EXPECT_NE(picture_of({"x", {0, 4}, {0}})[0].find('X'), std::string::npos);
  EXPECT_NE(picture_of({"x", {4, 0}, {0}})[0].find('X'), std::string::npos);
}

}  // namespace
}  // namespace ropewalk::reports
