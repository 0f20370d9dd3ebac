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

// A constructor that stores `value`, and a method that asks for it.
std::string stored(const std::string& value, const std::string& more = "", const std::string& parameters = "self") {
  return "import flash_attn\nfrom flash_attn import flash_attn_func\nfrom packaging.version import Version\n"
         "V = Version(flash_attn.__version__)\nclass Attention:\n    def __init__(" +
         parameters + "):\n        self.new = " + value +
         "\n    def forward(self, q):\n        if self.new:\n"
         "            return flash_attn_func(q, q, q, softcap=1.0)\n        return flash_attn_func(q, q, q)\n" +
         more;
}

TEST_F(WalkClasses, AVersionTestThatTheConstructorStoresIsFollowed) {
  EXPECT_EQ(verdict("2.5.6", stored("V >= Version('2.6')")), "clean");
  EXPECT_EQ(verdict("2.6.3", stored("V >= Version('2.6')")), "clean");
  EXPECT_EQ(verdict("2.5.6", stored("V >= Version('2.5')")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", stored("V >= Version('2.5')", "class Other(Attention):\n    OLD = True\n")),
            "keyword-unknown");
  for (const char* more :
       {"    def turn(self, on): self.new = on\n", "    def turn(self): setattr(self, 'new', True)\n",
        "def turn(one, on): one.new = on\n", "class Other(Attention):\n    new = True\n"})
    EXPECT_EQ(verdict("2.5.6", stored("V >= Version('2.5')", more)), "open") << more;
  // What the constructor is called with has a part in it.
  EXPECT_EQ(verdict("2.5.6", stored("V >= Version(wanted)", "", "self, wanted")), "open");
}

// What a constructor stores may be made of its own names.
TEST_F(WalkClasses, AConstructorMayTakeTheVersionApart) {
  const auto constructed = [](const std::string& first, const std::string& value) {
    return "import flash_attn\nfrom flash_attn import flash_attn_func\nclass Attention(Base):\n"
           "    def __init__(self, size, cap=None):\n        super().__init__()\n        self.size = size\n        " +
           first + "\n        self.new = " + value +
           "\n    def forward(self, q):\n        if self.new:\n"
           "            return flash_attn_func(q, q, q, softcap=1.0)\n        return flash_attn_func(q, q, q)\n";
  };
  const std::string parts = "major, minor = (int(x) for x in flash_attn.__version__.split('.')[:2])";
  EXPECT_EQ(verdict("2.5.6", constructed(parts, "(major, minor) >= (2, 6)")), "clean");
  EXPECT_EQ(verdict("2.6.3", constructed(parts, "(major, minor) >= (2, 6)")), "clean");
  EXPECT_EQ(verdict("2.5.6", constructed(parts, "(major, minor) >= (2, 5)")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", constructed(parts, "(major, minor) >= (2, cap)")), "open");
  EXPECT_EQ(verdict("2.5.6", constructed("for major in (1, 2): pass\n        minor = flash_attn.__version__[2]",
                                         "(major, minor) >= (2, '5')")),
            "open");
}

}  // namespace
}  // namespace ropewalk::compat
