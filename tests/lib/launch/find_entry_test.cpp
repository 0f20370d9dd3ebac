#include "lib/launch/find_entry.h"

#include <gtest/gtest.h>

#include "lib/ptx/read.h"

namespace ropewalk {
namespace {

// A module with entries of these names.
ptx::Module module_of(const std::vector<std::string>& names) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const std::string& name : names) text += ".visible .entry " + name + "()\n{\nret;\n}\n";
  return ptx::read(text, "k.ptx");
}

std::string found(const ptx::Module& module, const std::string& name) {
  const FoundEntry entry = find_entry(module, name);
  return entry.entry ? entry.entry->name : entry.why_none;
}

// rotate<float>(float*, int), rotate<double>(double*, int), ns::scale(float*), scale_rows(float*),
// (anonymous)::hidden(int)
const std::vector<std::string> names = {"_Z6rotateIfEvPT_i", "_Z6rotateIdEvPT_i",          "_ZN2ns5scaleEPf",
                                        "_Z10scale_rowsPf",  "_ZN12_GLOBAL__N_16hiddenEi", "plain"};

TEST(FindEntry, ByTheNamesThatPeopleUse) {
  const ptx::Module module = module_of(names);
  for (const auto& [name, mangled] : std::initializer_list<std::pair<const char*, const char*>>{
           {"_Z6rotateIfEvPT_i", "_Z6rotateIfEvPT_i"},
           {"void rotate<float>(float*, int)", "_Z6rotateIfEvPT_i"},
           {"void rotate<float>(float *,int)", "_Z6rotateIfEvPT_i"},
           {"rotate<double>", "_Z6rotateIdEvPT_i"},
           {"ns::scale", "_ZN2ns5scaleEPf"},
           {"scale", "_ZN2ns5scaleEPf"},  // though it is a part of scale_rows too
           {"scale_rows", "_Z10scale_rowsPf"},
           {"hidden", "_ZN12_GLOBAL__N_16hiddenEi"},
           {"plain", "plain"},
           {"plai", "plain"},
           {"rotateIf", "_Z6rotateIfEvPT_i"}}) {
    EXPECT_EQ(found(module, name), mangled) << name;
  }
}

TEST(FindEntry, WhatFitsSeveralListsThem) {
  const ptx::Module module = module_of(names);
  EXPECT_EQ(found(module, "rotate"),
            "\"rotate\" is the name of 2 entries: void rotate<float>(float*, int) (_Z6rotateIfEvPT_i), "
            "void rotate<double>(double*, int) (_Z6rotateIdEvPT_i)");
  EXPECT_EQ(found(module_of({"ab", "ac"}), "a"), "\"a\" is the name of 2 entries: ab, ac");
  EXPECT_EQ(found(module, "plane"), "the PTX has no entry \"plane\", did you mean \"plain\"?");
}

}  // namespace
}  // namespace ropewalk
