#include "lib/base/demangle.h"

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Demangle, names_as_people_write_them) {
  EXPECT_EQ(demangled("_Z6rotateIfEvPT_i"), "void rotate<float>(float*, int)");
  EXPECT_EQ(demangled("rotate"), "rotate");
  EXPECT_EQ(demangled("_Z"), "_Z");
  EXPECT_EQ(without_parameters("void rotate<float>(float*, int)"), "rotate<float>");
  EXPECT_EQ(without_parameters("float tile::at(int) const"), "tile::at");
  EXPECT_EQ(without_parameters("tile::at(int) const &"), "tile::at");
}

TEST(Demangle, tags_are_left_out) {
  EXPECT_EQ(demangled("_ZN8__main__6rotateB2v1B4cw51Ef"), "__main__::rotate(float)");
  EXPECT_EQ(demangled("_ZN3one4nameB5cxx11Ev"), "one::name()");
}

}  // namespace
}  // namespace ropewalk
