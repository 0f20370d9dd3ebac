// Context managers of a caller's sources that raise before the block, or catch what is raised in it.
#include "tests/lib/compat/caller_sources.h"

namespace ropewalk::compat {
namespace {

class Managers : public CallerSources {
 protected:
  // The managers need the version that is given.
  static std::string source(const std::string& rest, const std::string& needed = "2.6") {
    return "import contextlib\nimport flash_attn\nfrom flash_attn import flash_attn_func\n"
           "from packaging.version import Version\nV = Version(flash_attn.__version__)\n"
           "@contextlib.contextmanager\ndef needs(wanted='" +
           needed +
           "'):\n    if V < Version(wanted):\n        raise RuntimeError('too old')\n    yield V\n"
           "class Needs(contextlib.ContextDecorator):\n"
           "    def __enter__(self):\n        assert V >= Version('" +
           needed +
           "')\n        return self\n    def __exit__(self, *error): return False\nclass Still(Needs): pass\n"
           "class Made:\n    def __init__(self, wanted):\n        if V < Version(wanted): raise ImportError\n" +
           rest + "\n";
  }
  static constexpr const char* call = "flash_attn_func(q, q, q, softcap=1.0)";
};

TEST_F(Managers, ThatRaiseKeepTheBlockFromBeingRun) {
  for (const std::string& rest :
       {"def f(q):\n    with needs():\n        return " + std::string(call),
        "def f(q):\n    with open('a') as a, needs('2.6.1') as b:\n        return " + std::string(call),
        "def f(q):\n    with Needs():\n        return " + std::string(call),
        "async def f(q):\n    async with Still():\n        return " + std::string(call),
        "def f(q):\n    made = Made('2.6')\n    return " + std::string(call),
        "def f(q):\n    with contextlib.ExitStack() as stack:\n        stack.enter_context(needs())\n        return " +
            std::string(call),
        "@needs()\ndef f(q):\n    return " + std::string(call), "@Needs()\ndef f(q):\n    return " + std::string(call),
        "def checked(f):\n    def inner(q):\n        with needs():\n            return f(q)\n    return inner\n"
        "@checked\ndef f(q):\n    return " +
            std::string(call)}) {
    EXPECT_EQ(verdict("2.5.6", source(rest)), "open") << rest;
    EXPECT_EQ(verdict("2.6.3", source(rest)), "clean") << rest;
    if (rest.find("'2.6") != std::string::npos) continue;
    EXPECT_EQ(verdict("2.5.6", source(rest, "2.5")), "keyword-unknown") << rest;
  }
  EXPECT_EQ(verdict("2.5.6", source("def f(q):\n    needs()\n    return " + std::string(call))), "keyword-unknown")
      << "nothing of a generator runs where it is made";
  const std::string caught =
      "def f(q):\n    try:\n        with needs():\n            pass\n    except RuntimeError:\n"
      "        return None\n    return ";
  EXPECT_EQ(verdict("2.5.6", source(caught + call)), "open");
  EXPECT_EQ(verdict("2.5.6", source(caught + call, "2.5")), "keyword-unknown");
}

TEST_F(Managers, ThatCannotBeComputedLeaveOpenWhatIsInThem) {
  const std::string manager =
      "@contextlib.contextmanager\ndef needs_it():\n    if V not in flash_attn.__all__:\n        raise RuntimeError\n"
      "    yield\n";
  const std::string other =
      "@contextlib.contextmanager\ndef needs_it(x=None):\n    if x is None:\n        raise RuntimeError\n    yield\n";
  const std::string use = "def f(q):\n    with needs_it():\n        return " + std::string(call);
  EXPECT_EQ(verdict("2.5.6", source(manager + use)), "open");
  EXPECT_EQ(verdict("2.5.6", source(other + "def f(q):\n    with needs_it(q):\n        return " + call)),
            "keyword-unknown");
}

TEST_F(Managers, ThatCatchErrorsAreHandlers) {
  const auto caught = [](const std::string& rest) {
    return source(rest + "\ndef f(q):\n    with quiet():\n        return " + call);
  };
  const std::string generator =
      "@contextlib.contextmanager\ndef quiet():\n    try:\n        yield\n    except TypeError:\n        ";
  EXPECT_EQ(verdict("2.5.6", caught(generator + "print('old')")), "clean");
  EXPECT_EQ(verdict("2.5.6", caught(generator + "raise")), "keyword-unknown");
  const std::string exit =
      "class quiet:\n    def __enter__(self): return self\n    def __exit__(self, kind, *rest): return ";
  EXPECT_EQ(verdict("2.5.6", caught(exit + "kind is TypeError")), "clean");
  EXPECT_EQ(verdict("2.5.6", caught(exit + "False")), "keyword-unknown");
}

}  // namespace
}  // namespace ropewalk::compat
