// The relations of setp and set, with their names in opcodes.
//
// RW_..._RELATIONS(line) expands to line(name, Relation::...) for each, separated by commas; `line` is a macro of the
// table that uses them.
#pragma once

#define RW_EQUALITY_RELATIONS(line) line("eq", Eq), line("ne", Ne)
#define RW_SIGNED_RELATIONS(line) \
  RW_EQUALITY_RELATIONS(line), line("lt", Lt), line("le", Le), line("gt", Gt), line("ge", Ge)
// On unsigned integers lo, ls, hi and hs are other names.
#define RW_UNSIGNED_RELATIONS(line) \
  RW_SIGNED_RELATIONS(line), line("lo", Lt), line("ls", Le), line("hi", Gt), line("hs", Ge)
// Those that end in u hold as well where an operand is NaN.
#define RW_FLOAT_RELATIONS(line)                                                                                       \
  RW_SIGNED_RELATIONS(line), line("equ", Equ), line("neu", Neu), line("ltu", Ltu), line("leu", Leu), line("gtu", Gtu), \
      line("geu", Geu), line("num", Num), line("nan", Nan)
