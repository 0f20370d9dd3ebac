// Errors that a caller's source catches: handlers run where their block fails, and only there.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class WalkErrors : public CallerSources {
 protected:
  // Both imports of a try, and a call of what they give.
  static std::string tried(const std::string& body, const std::string& handler, const char* error = "ImportError") {
    return "try:\n    " + body + "\nexcept " + error + ":\n    " + handler +
           "\ndef attend(q, c):\n    return varlen(q, q, q, c, c, 8, 8, 0.0, causal=True)\n";
  }
  // softcap is passed where the flag is false.
  static std::string probed(const std::string& body, const std::string& handler) {
    return "import flash_attn\nfrom packaging.version import Version\nfrom flash_attn import flash_attn_func\ntry:\n" +
           body + "\n    NEW = True\nexcept ImportError:\n    NEW = False\n" + handler +
           "\ndef attend(q):\n    if NEW:\n        return None\n    return flash_attn_func(q, q, q, softcap=1.0)\n";
  }
};

const std::string now = "from flash_attn import flash_attn_varlen_func as varlen";
const std::string once = "from flash_attn import flash_attn_unpadded_func as varlen";

TEST_F(WalkErrors, HandlersOfImportsThatSucceedAreNotReached) {
  for (const std::string& body :
       {now, "import torch, flash_attn\n    " + now, "import flash_attn\n    V = flash_attn.__version__\n    " + now,
        now + "\n    if V := '':\n        pass\n    READY = True"}) {
    EXPECT_EQ(verdict("2.5.6", tried(body, once)), "clean") << body;
    EXPECT_EQ(verdict("2.5.6", tried(body, once, "Exception")), "clean") << body;
  }
  EXPECT_EQ(verdict("2.5.6", tried(once, now)), "clean");
  EXPECT_EQ(verdict("2.5.6", tried(once, "from flash_attn import flash_attn_unpadded_qkvpacked_func as varlen")),
            "name-missing");
  EXPECT_EQ(verdict("2.5.6", tried(once, now, "ModuleNotFoundError")), "name-missing") << "the module is there";
  EXPECT_EQ(verdict("2.5.6", tried("import flash_attn\n    varlen = flash_attn.flash_attn_unpadded_func", now,
                                   "AttributeError")),
            "clean");
}

TEST_F(WalkErrors, WhatIsNotKnownToSucceedLeavesBothWaysOpen) {
  const std::string other = "from flash_attn_interface import flash_attn_varlen_func as varlen";
  EXPECT_EQ(verdict("2.5.6", tried(other, now)), "clean");
  EXPECT_EQ(verdict("2.5.6", tried(other, once)), "name-missing");
  EXPECT_EQ(verdict("2.5.6", tried("import flash_attn.bert_padding\n    " + now, once)), "open")
      << "the table does not tell of this module";
  EXPECT_EQ(verdict("2.5.6", tried("from .ops import flash_attn_varlen_func as varlen", once)), "name-missing");
  EXPECT_EQ(verdict("2.5.6", tried(now, "pass", "ValueError")), "clean");
}

TEST_F(WalkErrors, ProbesForOtherPackagesHideNoCall) {
  EXPECT_EQ(verdict("2.5.6", probed("    import flash_attn_interface", "")), "keyword-unknown");
  EXPECT_EQ(verdict("2.6.3", probed("    import flash_attn_interface", "")), "clean");
  EXPECT_EQ(verdict("2.5.6", probed("    from flash_attn import flash_attn_varlen_func", "")), "open") << "not reached";
  EXPECT_EQ(verdict("2.5.6", probed("    import os", "")), "open") << "not reached";
}

TEST_F(WalkErrors, RaisedErrorsGoToTheirHandler) {
  const auto raised = [](const char* way) {
    return std::string("    if Version(flash_attn.__version__) ") + way +
           " Version('2.6.0'):\n        raise ImportError";
  };
  EXPECT_EQ(verdict("2.5.6", probed(raised("<"), "")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", probed(raised(">="), "")), "open") << "not reached";
  EXPECT_EQ(verdict("2.6.3", probed(raised(">="), "")), "clean");
}

TEST_F(WalkErrors, ThatAreExpectedAreNone) {
  const auto expected = [](const std::string& with) {
    return "import contextlib, pytest\nfrom flash_attn import flash_attn_func\nclass Test:\n    def test_old(self, "
           "q):\n"
           "        with " +
           with + ":\n            flash_attn_func(q, q, q, softcap=1.0)\n";
  };
  for (const char* with :
       {"pytest.raises(TypeError)", "pytest.raises((ValueError, TypeError), match='softcap')",
        "pytest.raises(expected_exception=TypeError)", "self.assertRaises(TypeError)",
        "self.assertRaisesRegex(TypeError, 'softcap')", "contextlib.suppress(ValueError, TypeError)"}) {
    EXPECT_EQ(verdict("2.5.6", expected(with)), "clean") << with;
  }
  EXPECT_EQ(verdict("2.5.6", expected("pytest.raises(ValueError)")), "keyword-unknown");
  EXPECT_EQ(verdict("2.5.6", expected("self.subTest(TypeError)")), "keyword-unknown");
}

// A way that ends in a with does not go on behind it.
TEST_F(WalkErrors, BlocksOfWithEndWays) {
  const auto source = [](const std::string& with) {
    return "import torch, pytest, flash_attn\nfrom flash_attn import flash_attn_func\ndef attend(q):\n    with " +
           with +
           ":\n        if flash_attn.__version__ < '2.6':\n            return None\n"
           "    return flash_attn_func(q, q, q, softcap=1.0)\n";
  };
  EXPECT_EQ(verdict("2.5.6", source("torch.no_grad()")), "open") << "not reached";
  EXPECT_EQ(verdict("2.6.3", source("torch.no_grad()")), "clean");
}

}  // namespace
}  // namespace ropewalk::compat
