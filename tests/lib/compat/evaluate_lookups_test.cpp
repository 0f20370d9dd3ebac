// Names and modules that a caller looks up as texts.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Lookups : public CallerSources {
 protected:
  // A call with softcap of what the expression gives, beside one that is right.
  static std::string source(const std::string& body) {
    return "import importlib, sys\nimport flash_attn\nfrom importlib import import_module\n"
           "from flash_attn import flash_attn_func\ndef right(q): return flash_attn_func(q, q, q)\n"
           "def attend(q, name):\n    " +
           body + "\n";
  }
};

TEST_F(Lookups, OfConstantNamesAreFollowed) {
  for (const char* body : {"f = getattr(flash_attn, 'flash_attn_func')\n    f(q, q, q, softcap=1.0)",
                           "f = getattr(flash_attn, 'flash_attn_func', None)\n    if f: f(q, q, q, softcap=1.0)",
                           "getattr(flash_attn, 'flash_attn_func')(q, q, q, softcap=1.0)",
                           "fa = importlib.import_module('flash_attn')\n    fa.flash_attn_func(q, q, q, softcap=1.0)",
                           "fa = import_module('flash_attn.flash_attn_interface')\n    fa.flash_attn_func(q, q, q, "
                           "softcap=1.0)",
                           "fa = __import__('flash_attn')\n    fa.flash_attn_func(q, q, q, softcap=1.0)",
                           "__import__('flash_attn.flash_attn_interface').flash_attn_func(q, q, q, softcap=1.0)",
                           "sys.modules['flash_attn'].flash_attn_func(q, q, q, softcap=1.0)",
                           "f = getattr(import_module('flash_attn'), 'flash_attn_func') if q else None\n"
                           "    if q: f(q, q, q, softcap=1.0)"}) {
    EXPECT_EQ(verdict("2.5.6", source(body)), "keyword-unknown") << body;
    EXPECT_EQ(verdict("2.6.3", source(body)), "clean") << body;
  }
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(q, 'flash_attn_func')\n    f(q, softcap=1.0)")), "clean");
  EXPECT_EQ(verdict("2.5.6", source("xf = import_module('xformers')\n    xf.flash_attn_func(q, softcap=1.0)")),
            "clean");
}

TEST_F(Lookups, OfNamesThatAreNotThereFail) {
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, 'flash_attn_unpadded_func')")), "name-missing");
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, 'flash_attn_unpadded_func', None)\n"
                                    "    if f is not None: flash_attn_func(q, q, q, softcap=1.0)")),
            "clean");
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, 'flash_attn_unpadded_func', None)\n"
                                    "    if f is None: flash_attn_func(q, q, q, softcap=1.0)")),
            "keyword-unknown");
}

TEST_F(Lookups, ThatCannotBeComputedAreTold) {
  EXPECT_EQ(verdict("2.5.6", source("f = getattr(flash_attn, name)\n    f(q, q, q, softcap=1.0)")), "open");
  EXPECT_EQ(verdict("2.5.6", source("getattr(flash_attn, 'flash_attn_' + name)(q, softcap=1.0)")), "open");
  EXPECT_EQ(verdict("2.5.6", source("return getattr(flash_attn, 'flash_attn_func')")), "open") << "it is handed on";
  EXPECT_EQ(verdict("2.5.6", source("for each in ['flash_attn', name]:\n        fa = import_module(each)")), "open");
  EXPECT_EQ(verdict("2.5.6", source("for each in ['xformers', 'flash_attn']:\n        fa = import_module(each)\n"
                                    "    fa.flash_attn_func(q, q, q, softcap=1.0)")),
            "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", source("fa = import_module(name)")), "clean") << "nothing says that it is flash_attn";
  EXPECT_EQ(verdict("2.5.6", source("return getattr(q, name)")), "clean");
}

}  // namespace
}  // namespace ropewalk::compat
