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

TEST(Demangle, unnamed_namespaces_are_left_out_of_names) {
  EXPECT_EQ(without_parameters(demangled("_ZN3app12_GLOBAL__N_16countsEPi")), "app::counts");
  EXPECT_EQ(without_parameters(demangled("_ZN12_GLOBAL__N_16countsIfEEvPT_")), "counts<float>");
  EXPECT_EQ(without_parameters("(anonymous namespace)::"), "");
}

TEST(Demangle, tags_are_left_out) {
  EXPECT_EQ(demangled("_ZN8__main__6rotateB2v1B4cw51Ef"), "__main__::rotate(float)");
  EXPECT_EQ(demangled("_ZN3one4nameB5cxx11Ev"), "one::name()");
}

TEST(Demangle, variables_are_named_without_the_number_of_the_compiler) {
  EXPECT_EQ(demangled("_ZZ4normILi256EEvP6__halfE4mean_$_0"), "norm<256>(__half*)::mean");
  EXPECT_EQ(without_parameters(demangled("_ZZ4normILi256EEvP6__halfE4mean_$_12")), "norm<256>::mean");
  EXPECT_EQ(demangled("_ZZ4normILi256EEvP6__halfE4mean"), "norm<256>(__half*)::mean");
  for (const char* other : {"mean_$_0", "_ZZ4normILi256EEvP6__halfE4mean_$_", "_ZZ4normILi256EEvP6__halfE4mean_$_a"})
    EXPECT_EQ(demangled(other), other);
}

}  // namespace
}  // namespace ropewalk
