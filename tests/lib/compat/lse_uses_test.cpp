// The number of dimensions of log-sum-exp, which changed for packed sequences in flash-attn 2.6.0: from (batch, heads,
// longest q) to (heads, rows of q).
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class LseUses : public CallerSources {
 protected:
  static std::string source(const std::string& body, const std::string& more = "") {
    return "import flash_attn\nfrom flash_attn.flash_attn_interface import _flash_attn_varlen_forward\n"
           "from packaging.version import Version\nV = Version(flash_attn.__version__)\n" +
           more +
           "def forward(q, k, v, c, m, scale):\n"
           "    out, _, _, _, _, lse, _, _ = _flash_attn_varlen_forward(q, k, v, c, c, m, m, 0.0, scale, causal=True, "
           "window_size=(-1, -1), alibi_slopes=None, return_softmax=False)\n    " +
           body + "\n";
  }
  void expect(const std::string& text, const char* before, const char* after) {
    EXPECT_EQ(verdict("2.5.6", text), before) << text;
    EXPECT_EQ(verdict("2.6.3", text), after) << text;
  }
};

constexpr const char* changed = "lse-layout-changed";

TEST_F(LseUses, ThatNeedThreeDimensionsFailWithTwo) {
  for (const char* body : {"b, h, n = lse.shape", "b, h, n = lse.size()", "return lse[0, :, : m]",
                           "return lse[:, :, 0]", "return lse.shape[2]", "return lse.size(2)", "return lse.shape[-3]",
                           "shape = (lse.shape[0], lse.shape[2] // 2)", "b, h, n, *_ = lse.shape",
                           "return out, lse.view(*lse.shape[:-1], 2, lse.shape[-1] // 2)"}) {
    expect(source(body), "clean", changed);
  }
  for (const char* body : {"return lse[0, : m]", "return lse[..., 0]", "return lse[:, None, :]", "return out, lse",
                           "h, *_ = rows = q.shape", "return lse.unsqueeze(0)[0, 0, 0]",
                           "lse = lse.unsqueeze(0)\n    b, h, n = lse.shape", "return q[0, :, : m]"}) {
    expect(source(body), "clean", "clean");
  }
}

TEST_F(LseUses, ThatNeedTwoDimensionsFailWithThree) {
  expect(source("heads, rows = lse.shape"), changed, "clean");
  expect(source("heads, rows = lse.size()"), changed, "clean");
  expect(source("heads, *rows = lse.size()"), "clean", "clean");
}

TEST_F(LseUses, TestsOfTheNumberOfDimensionsAreComputed) {
  for (const char* body :
       {"if lse.dim() == 2:\n        return out, lse\n    b, h, n = lse.shape", "if lse.ndim == 3: b, h, n = lse.shape",
        "if len(lse.shape) > 2: return lse[0, :, : m]", "if len(lse.size()) == 3: return lse.size(2)",
        "packed = lse.dim() == 2\n    if not packed: b, h, n = lse.shape",
        "d = lse.ndim\n    if d == 3: n = lse.shape[2]", "n = lse.shape[2] if lse.dim() == 3 else m",
        "return lse.dim() == 3 and lse.shape[2]",
        "if lse.dim() == 2:\n        h, n = lse.shape\n    else:\n        b, h, n = lse.shape",
        "try:\n        b, h, n = lse.shape\n    except ValueError:\n        return out",
        "if lse.dim() == 2: return lse.view(lse.shape[0], lse.shape[1] // 2, 2)"}) {
    expect(source(body), "clean", "clean");
  }
  // The same the wrong way round, and handlers of other errors.
  for (const char* body : {"if lse.dim() == 3:\n        return out, lse\n    b, h, n = lse.shape",
                           "if lse.ndim != 3: b, h, n = lse.shape", "n = lse.shape[2] if lse.dim() == 2 else m",
                           "try:\n        b, h, n = lse.shape\n    except KeyError:\n        return out"}) {
    EXPECT_EQ(verdict("2.6.3", source(body)), changed) << body;
  }
}

TEST_F(LseUses, AreFollowedIntoFunctionsOfTheFile) {
  const std::string flatten = "def flatten(lse, c):\n    return [lse[i, :, : n] for i, n in enumerate(c)]\n";
  expect(source("return flatten(lse, c)", flatten), "clean", changed);
  expect(source("return flatten(q, c)", flatten), "clean", "clean");
  expect(source("if lse.dim() == 3: lse = flatten(lse, c)\n    return lse", flatten), "clean", "clean");
  expect(source("if V < Version('2.6'): lse = flatten(lse, c)\n    return lse", flatten), "clean", "clean");
  expect(source("return out, lse\ndef ring(q, c):\n    out, block_lse = forward(q, q, q, c, 1, 1.0)\n"
                "    return block_lse[0, :, :1]"),
         "clean", changed);
  // By a test that cannot be computed: nothing is claimed.
  const std::string odd = "import re\nODD = bool(re.match('(?!9)2.[0-5]', flash_attn.__version__))\n";
  EXPECT_EQ(verdict("2.6.3", source("if ODD: lse = flatten(lse, c)\n    return lse", odd + flatten)), "open");
  EXPECT_EQ(verdict("2.6.3", source("if ODD: b, h, n = lse.shape", odd)), "open");
  // Another function's beside it keeps its three dimensions.
  const std::string dense =
      "if m is None:\n        outs = flash_attn.flash_attn_func(q, k, v, return_attn_probs=True)\n"
      "        lse = outs[1]\n        b, h, n = lse.shape\n";
  expect(source("return lse.max()", "").insert(source("", "").find("    out, _"), "    " + dense), "clean", "clean");
  expect(source("b, h, n = lse.shape", "").insert(source("", "").find("    out, _"), "    " + dense), "clean", changed);
  // In a function of which nothing says that it gets this one.
  expect(source("return out, lse\ndef half(lse):\n    b, h, n = lse.shape"), "clean", "open");
  expect(source("return out, lse\ndef half(lse):\n    h, n = lse.shape"), "clean", "clean");
}

// The public function hands on what the one behind it returns.
TEST_F(LseUses, OfPublicFunctionsAreTheSame) {
  const auto public_source = [](const std::string& function, const std::string& arguments, const std::string& body) {
    return "from flash_attn import " + function + "\ndef forward(q, k, v, c, m):\n    out, lse, p = " + function + "(" +
           arguments + ", return_attn_probs=True)\n    " + body + "\n";
  };
  for (const auto& [function, arguments] : {std::pair{"flash_attn_varlen_func", "q, k, v, c, c, m, m"},
                                            std::pair{"flash_attn_varlen_qkvpacked_func", "q, c, m"},
                                            std::pair{"flash_attn_varlen_kvpacked_func", "q, k, c, c, m, m"}}) {
    expect(public_source(function, arguments, "b, h, n = lse.shape"), "clean", changed);
    expect(public_source(function, arguments, "return lse[:, :, : m]"), "clean", changed);
    expect(public_source(function, arguments, "h, n = lse.shape"), changed, "clean");
    expect(public_source(function, arguments, "return out, lse.max()"), "clean", "clean");
  }
  expect(public_source("flash_attn_func", "q, k, v", "b, h, n = lse.shape"), "clean", "clean");
}

}  // namespace
}  // namespace ropewalk::compat
