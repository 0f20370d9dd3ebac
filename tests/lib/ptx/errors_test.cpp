// Malformed text: the message and its exact location.
#include "tests/lib/ptx/ptx_text.h"

namespace ropewalk::ptx {
namespace {

// The body begins on line 6.
std::string error_in_body(const std::string& body) { return error_of(entry_text(body)); }

// The header has three lines.
std::string error_in_module(const std::string& text) { return error_of(header + text); }

TEST(Errors, ManySignsBeforeAnOperandAreOneError) {
  const std::string message = error_in_body("mov.u32 %r1, " + std::string(100'000, '!') + "1;");
  EXPECT_NE(message.find("expected a predicate behind '!'"), std::string::npos) << message.substr(0, 200);
}

TEST(Errors, NoPtxAtAll) {
  EXPECT_EQ(error_of("{\"json\": 1}"),
            "test.ptx:1:1: found \"{\", expected a directive such as \".entry\" or \".global\"");
  EXPECT_EQ(error_of(""), "test.ptx:1:1: this is no PTX, expected a line \".version\"");
  EXPECT_EQ(error_of(std::string("\x7f"
                                 "ELF\0\x01",
                                 6)),
            "test.ptx:1:1: found \"\\x7f\", expected a directive such as \".entry\" or \".global\"");
  EXPECT_EQ(error_of("/* no end"), "test.ptx:1:1: this comment does not end, expected \"*/\"");
  EXPECT_EQ(error_in_module(".banana 5\n"),
            "test.ptx:4:1: found \".banana\", expected a directive of the module such as \".entry\" or \".global\"");
}

TEST(Errors, OfFiles) {
  EXPECT_THROW(read_file("no/such/file.ptx"), InputError);
  EXPECT_THROW(read_file("/"), InputError);
}

TEST(Errors, OfTheHeader) {
  EXPECT_EQ(error_of(".version eight\n"),
            "test.ptx:1:10: this is no version of PTX, expected two numbers such as \"8.8\"");
  EXPECT_EQ(error_of(".version 8.0\n"), "test.ptx:1:1: this names no target, expected a line \".target\"");
  EXPECT_EQ(error_of(".version 8.0\n.target 80\n"), "test.ptx:2:9: found \"80\", expected a target such as \"sm_80\"");
  EXPECT_EQ(error_of(".version 99.0\n.target sm_80\n"),
            "test.ptx:1:10: there is no PTX 99.0, the newest that is known is 9.4");
  EXPECT_EQ(error_of(".version 7.9\n.target sm_80\n"),
            "test.ptx:1:10: there is no PTX 7.9, the newest that is known is 9.4");
  EXPECT_EQ(error_of(".version 8.0\n.target sm_999\n"),
            "test.ptx:2:9: there is no target sm_999, expected an architecture such as \"sm_80\", the newest that is "
            "known is "
            "sm_121");
  EXPECT_EQ(
      error_of(".version 8.0\n.target sm_81\n"),
      "test.ptx:2:9: there is no target sm_81, expected an architecture such as \"sm_80\", the newest that is known is "
      "sm_121");
  EXPECT_EQ(read(".version 9.9\n.target sm_130a\n", "test.ptx").version, "9.9");
  EXPECT_EQ(error_of(".version 8.0\n.address_size 48\n"),
            "test.ptx:2:15: this is no size of addresses, expected 32 or 64");
}

TEST(Errors, OfRegisters) {
  EXPECT_EQ(error_in_body("add.s32 %r1, %r2, %r99;"),
            "test.ptx:7:19: register \"%r99\" is not declared, %r<20> ends before it");
  EXPECT_EQ(error_in_body("add.s32 %r1, %r2, x;"),
            "test.ptx:7:19: \"x\" is not declared here, expected a register, variable, function or label");
  EXPECT_EQ(error_in_body(".reg .b33 %x;"), "test.ptx:7:6: found \".b33\", expected a type such as \".b32\"");
  EXPECT_EQ(error_in_body(".reg .b32 %x; .reg .b64 %x;"), "test.ptx:7:25: \"%x\" is declared twice in one scope");
  EXPECT_EQ(error_in_body(".reg .b32 %x<-1>;"),
            "test.ptx:7:14: this is no number of registers, expected an integer below 2^32 of scalar registers");
  EXPECT_EQ(error_in_body("@nope ret;"), "test.ptx:7:2: \"nope\" is no register here, expected a predicate");
  EXPECT_EQ(error_in_body("{ .reg .pred P; } @P ret;"),
            "test.ptx:7:20: \"P\" is no register here, expected a predicate");
}

TEST(Errors, OfTooManyRanges) {
  std::string body;
  for (int i = 0; i < 995; ++i) body += ".reg .b32 %a" + std::to_string(i) + "_<2>;";
  EXPECT_EQ(error_in_body(body + "\n.reg .b32 %b<2>;"),
            "test.ptx:8:11: too many ranges of registers are in sight, expected 1000 at most");
}

TEST(Errors, OfRegistersOutsideTheirScope) {
  EXPECT_EQ(error_in_body("{ .reg .b64 %tmp; mov.b64 %tmp, 0; } mov.b64 %rd1, %tmp;"),
            "test.ptx:7:52: register \"%tmp\" belongs to a scope that ended");
}

TEST(Errors, OfOperands) {
  EXPECT_EQ(error_in_body("add.s32 %r1 %r2;"), "test.ptx:7:13: found \"%r2\", expected ',' or ';' after an operand");
  EXPECT_EQ(error_in_body("add.s32 %r1,;"), "test.ptx:7:13: found \";\", expected an operand");
  EXPECT_EQ(error_in_body("ld.b32 %r1, [%rd1"), "test.ptx:8:1: found \"}\", expected ']' or an offset in an address");
  EXPECT_EQ(error_in_body("ld.b32 %r1, [%rd1+%r1];"), "test.ptx:7:19: found \"%r1\", expected a constant");
  EXPECT_EQ(error_in_body("ld.b32 %r1, [nosuch];"),
            "test.ptx:7:14: \"nosuch\" is not declared here, expected a register or a variable");
  EXPECT_EQ(error_in_body("mov.b32 {%r1, %r2, %r3;"),
            "test.ptx:7:23: found \";\", expected '}' or ',' in a list of operands");
  EXPECT_EQ(error_in_body("setp.eq.s32 %p1|4, %r1, 0;"),
            "test.ptx:7:16: '|' stands between two results, expected registers or \"_\" on both sides");
  EXPECT_EQ(error_in_body("add..s32 %r1, %r2, 1;"),
            "test.ptx:7:1: this opcode has an empty modifier, expected a word behind each '.'");
}

TEST(Errors, OfConstants) {
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 18446744073709551616;"), "test.ptx:7:15: this integer does not fit 64 bits");
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 0x;"), "test.ptx:7:15: this number has no digits, expected an integer");
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 089;"), "test.ptx:7:15: found \"8\" in a number, expected a digit of base 8");
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 0f3F80;"),
            "test.ptx:7:15: a constant that begins with \"0f\" has 4 digits, expected 8");
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 1/0;"), "test.ptx:7:16: a constant is divided by zero");
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 1.5 + 2;"),
            "test.ptx:7:19: an operator stands between floating-point constants, expected integers");
  EXPECT_EQ(error_in_body("mov.b64 %rd1, 1.2.3;"),
            "test.ptx:7:15: this is no number that fits binary64, expected digits with a point or an exponent");
}

TEST(Errors, OfLabelsAndScopes) {
  EXPECT_EQ(error_in_body("bra nowhere;"),
            "test.ptx:7:5: \"nowhere\" is not declared here, expected a register, variable, function or label");
  EXPECT_EQ(error_in_body("{ L: } bra L;"),
            "test.ptx:7:12: \"L\" is not declared here, expected a register, variable, function or label");
  EXPECT_EQ(error_in_body("L: L: ret;"), "test.ptx:7:4: \"L\" is declared twice in one scope");
  EXPECT_EQ(error_of(header + ".entry k() { ret;"),
            "test.ptx:4:18: the text ends here, expected an instruction, a label, a directive or '}'");
  EXPECT_EQ(error_in_body(std::string(300, '{')),
            "test.ptx:7:256: scopes are nested too deeply, expected 256 levels at most");
}

TEST(Errors, OfCalls) {
  EXPECT_EQ(error_in_body("call nobody;"),
            "test.ptx:7:6: \"nobody\" is not declared, expected a function that was declared before, or a register");
  EXPECT_EQ(error_in_body("call (%r1, %rd1;"), "test.ptx:7:16: found \";\", expected ')' or ',' in a list of operands");
}

TEST(Errors, OfIndexStatements) {
  EXPECT_EQ(error_in_body("//@index %r1 > %r2 : x\nret;"),
            "test.ptx:7:14: found \">\", expected '<' between index and bound of an index statement");
  EXPECT_EQ(error_in_body("//@index %r1 <\nret;"), "test.ptx:7:15: the text ends here, expected an operand");
  EXPECT_EQ(error_in_body("//@index 1.5 < %r1 : x"),
            "test.ptx:7:10: expected a register or an integer in an index statement");
}

TEST(Errors, OfVariables) {
  EXPECT_EQ(error_in_module(".global .b32;"), "test.ptx:4:13: found \";\", expected the name of a variable");
  EXPECT_EQ(error_in_module(".global x;"),
            "test.ptx:4:9: found \"x\", expected the type of a variable, such as \".b32\"");
  EXPECT_EQ(error_in_module(".global .align 3 .b32 x;"),
            "test.ptx:4:16: this is no alignment, expected a power of two up to 4096");
  EXPECT_EQ(error_in_module(".global .b8 x[2] = {1, 2, 3};"),
            "test.ptx:4:27: found \"3\", expected '}', the variable has no more elements");
  EXPECT_EQ(error_in_module(".global .b8 x[99999999999][99999999999];"),
            "test.ptx:4:28: this array is too large, expected 2^48 bytes at most");
  EXPECT_EQ(error_in_module(".global .u64 x = nosuch;"),
            "test.ptx:4:18: \"nosuch\" is not declared, expected a variable or function");
  EXPECT_EQ(error_in_module(".global .b32 x;\n.global .b32 x;"), "test.ptx:5:14: \"x\" is declared twice");
  EXPECT_EQ(error_in_module(".global .b8 x[2000000000][2] = {{1}, {2}};\n.global .b8 y[2][2000000000] = {{1}, {2}};"),
            "test.ptx:5:39: the initialisers are too large, expected 256 MiB at most in a module");
}

TEST(Errors, OfFunctions) {
  EXPECT_EQ(error_in_module(".entry k(.reg .b32 x) { }"),
            "test.ptx:4:10: parameters in registers are not supported, expected \".param\"");
  EXPECT_EQ(error_in_module(".entry k() { }\n.entry k() { }"), "test.ptx:5:8: \"k\" is defined twice, first on line 4");
  EXPECT_EQ(error_in_module(".entry k() banana"),
            "test.ptx:4:12: found \"banana\", expected '{' of the function's body or ';'");
  EXPECT_EQ(error_in_module(".visible banana"),
            "test.ptx:4:10: expected \".entry\", \".func\" or a state space behind \".visible\"");
}

// As ptxas has it.
TEST(Errors, OfNamesThatAreDeclaredTwiceInABody) {
  EXPECT_EQ(error_in_body(".reg .b32 %r1;"), "test.ptx:7:11: \"%r1\" is declared twice in one scope");
  EXPECT_EQ(error_in_body(".reg .b32 %x1; .reg .b32 %x<3>;"), "test.ptx:7:26: \"%x1\" is declared twice in one scope");
  EXPECT_EQ(error_in_body(".shared .b32 x1; .reg .b32 x<3>;"), "test.ptx:7:28: \"x1\" is declared twice in one scope");
  EXPECT_EQ(error_in_body(".reg .b32 x<3>; .shared .b32 x1;"), "test.ptx:7:30: \"x1\" is declared twice in one scope");
  for (const char* const line : {".reg .b32 a;", ".shared .b32 a;", "a: ret;"}) {
    const std::string message = error_in_module(".entry k(.param .u64 a) { " + std::string(line) + " ret; }");
    EXPECT_NE(message.find("\"a\" is declared twice in one scope"), std::string::npos) << line << ": " << message;
  }
  for (const char* const right : {"{ .reg .b32 %r1; mov.b32 %r1, 0; }", ".reg .b32 %r1<9>; mov.b32 %r12, 0;",
                                  ".reg .b32 %x<20>; .reg .b32 %x1<3>;", "mov.b32 %r12, 0; .reg .b32 %r1<9>;",
                                  ".reg .b32 x<3>; x1: ret;", "L: { L: ret; }", ".reg .b32 %x1; .reg .b32 %x<1>;"})
    EXPECT_EQ(error_in_body(right), "") << right;
  EXPECT_EQ(error_in_module(".entry k(.param .u64 a) { { .reg .b32 a; } ret; }"), "");
}

TEST(Errors, OfNamesThatAreDeclaredTwiceInAModule) {
  const std::string f = ".func f(.param .b32 a)";
  EXPECT_EQ(error_in_module(f + "{ }\n" + f + ";"), "test.ptx:5:7: \"f\" is declared behind its body, first on line 4");
  EXPECT_EQ(error_in_module(f + ";\n.entry f(.param .b32 a) { }"),
            "test.ptx:5:8: \"f\" is an entry and a function, first on line 4");
  for (const char* const other : {"(.param .b64 a)", "()", "(.param .s32 a)", "(.param .b32 a, .param .b32 b)"}) {
    EXPECT_EQ(error_in_module(f + ";\n.func f" + other + " { }"),
              "test.ptx:5:7: \"f\" has other parameters elsewhere, first on line 4");
  }
  EXPECT_EQ(error_in_module(f + ";\n.func f(.param .b32 b) { }"), "");
  EXPECT_EQ(error_in_module(".weak .global .b32 x;\n.weak .global .b32 x;"), "test.ptx:5:20: \"x\" is declared twice");
  EXPECT_EQ(error_in_module(".common .global .b32 x;\n.visible .global .b32 x;"),
            "test.ptx:5:23: \"x\" is declared twice");
  EXPECT_EQ(error_in_module(".extern .global .b32 x;\n.visible .global .b64 x;"),
            "test.ptx:5:23: \"x\" is declared as one of another type before");
  EXPECT_EQ(error_in_module(".extern .global .b32 x;\n.global .b32 x;"),
            "test.ptx:5:14: \"x\" is .extern before, expected .visible, .weak or .common here");
  for (const char* const right :
       {".extern .global .b32 x;\n.visible .global .b32 x;", ".extern .global .b32 x[];\n.weak .global .b32 x[4];",
        ".visible .global .b32 x;\n.extern .global .b32 x;", ".extern .shared .b8 x[];\n.extern .shared .b8 x[];"})
    EXPECT_EQ(error_in_module(right), "") << right;
  EXPECT_EQ(error_in_module(".func f() { }\n.func g();\n.alias g, f;\n.alias g, f;"),
            "test.ptx:7:8: \"g\" is an alias already");
  EXPECT_EQ(error_in_module(".file 1 \"a.cu\"\n.file 1 \"b.cu\""),
            "test.ptx:5:7: the number of this file is another one's already");
}

TEST(Errors, OfPositions) {
  EXPECT_EQ(error_in_body(".loc 1\nret;"), "test.ptx:8:1: found \"ret\", expected the line in the source");
  EXPECT_EQ(error_in_body(".loc 70000 1 1\nret;"),
            "test.ptx:7:6: the number of this file is too large, expected 65535 at most");
  EXPECT_EQ(error_in_body(".loc 1 2 3, banana\nret;"),
            "test.ptx:7:13: found \"banana\", expected \"function_name\" or \"inlined_at\"");
}

TEST(Errors, EveryCutOfAModuleEndsInAnErrorOrAModule) {
  const std::string text =
      header + ".func (.param .b32 r) f(.param .b64 a);\n.global .align 4 .b8 x[4] = {1, 2};\n" +
      entry_text("L: @!%p1 bra L; { ld.v2.f32 {%f1, _}, [%rd1+8]; } /* c */ .loc 1 2 3\n mov.b32 %r1, 0x1F;")
          .substr(header.size()) +
      ".file 1 \"a.cu\"\n.section .debug_str { $a: .b8 65,0 }\n";
  EXPECT_EQ(error_of(text), "");
  for (u64 length = 0; length < text.size(); ++length) {
    const std::string message = error_of(text.substr(0, length));
    if (!message.empty()) {
      EXPECT_EQ(message.substr(0, 9), "test.ptx:") << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace ropewalk::ptx
