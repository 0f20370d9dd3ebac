// What a method's object has from its class.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class WalkClasses : public CallerSources {
 protected:
  // A class whose NEW is what the comparison says, and a method that passes softcap where its object's NEW is true.
  static std::string source(const std::string& comparison, const std::string& more = "") {
    return "import flash_attn\nfrom flash_attn import flash_attn_func\nfrom packaging.version import Version\n"
           "class Attention:\n    NEW = Version(flash_attn.__version__) " +
           comparison +
           "\n    def forward(self, q):\n        if self.NEW:\n"
           "            return flash_attn_func(q, q, q, softcap=1.0)\n        return flash_attn_func(q, q, q)\n" +
           more;
  }
};

TEST_F(WalkClasses, AttributesOfTheClassAreTheObjectsOwn) {
  EXPECT_EQ(verdict("2.5.6", source(">= Version('2.6')")), "clean");
  EXPECT_EQ(verdict("2.6.3", source(">= Version('2.6')")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("< Version('2.6')")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", source("< Version('2.6')")), "clean");
}

TEST_F(WalkClasses, AttributesThatAreGivenElsewhereAreNot) {
  for (const char* more :
       {"    def turn(self, on): self.NEW = on\n", "    def turn(self, on):\n        setattr(self, 'NEW', on)\n",
        "class Other(Attention):\n    NEW = True\n",
        "class Other(Attention):\n    @property\n    def NEW(self): pass\n"})
    EXPECT_EQ(verdict("2.5.6", source("< Version('2.6')", more)), "open") << more;
  EXPECT_EQ(verdict("2.5.6", source("< Version('2.6')", "class Other(Attention):\n    OLD = True\n")),
            "keyword-unknown");
  // The first parameter of a static method is no object of the class.
  EXPECT_EQ(verdict("2.5.6", source(">= Version('2.6')",
                                    "    @staticmethod\n    def attend(q):\n"
                                    "        if not q.NEW: return flash_attn_func(q, q, q, softcap=1.0)\n")),
            "open");
}

}  // namespace
}  // namespace ropewalk::compat
