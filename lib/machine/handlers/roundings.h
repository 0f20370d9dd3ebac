// The four rounding modifiers, and the eight integer types, with their names in opcodes.
//
// RW_..(line) expands to line(name, tag) for each, separated by commas; RW_..._OF(line, ...) hands the further
// arguments on. `line` is a macro of the table that uses them.
#pragma once

#define RW_ROUNDINGS(line) line("rn", Nearest), line("rz", Zero), line("rm", Down), line("rp", Up)
#define RW_DIRECTED_ROUNDINGS(line) line("rz", Zero), line("rm", Down), line("rp", Up)
#define RW_INTEGRAL_ROUNDINGS(line) line("rni", Nearest), line("rzi", Zero), line("rmi", Down), line("rpi", Up)

#define RW_INTEGERS_OF(line, ...)                                                                  \
  line("u8", U8, __VA_ARGS__), line("s8", S8, __VA_ARGS__), line("u16", U16, __VA_ARGS__),         \
      line("s16", S16, __VA_ARGS__), line("u32", U32, __VA_ARGS__), line("s32", S32, __VA_ARGS__), \
      line("u64", U64, __VA_ARGS__), line("s64", S64, __VA_ARGS__)
