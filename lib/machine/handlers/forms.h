// The tables of forms, by group and instruction set.
#pragma once
#include "lib/machine/handlers/form.h"

#define RW_FORM_LISTS(instruction_set)                                                      \
  namespace instruction_set {                                                               \
  FormList integer_forms();  /* arithmetic on integers */                                   \
  FormList multiply_forms(); /* their products, quotients and sums of products */           \
  FormList logic_forms();    /* logic, shifts, fields and permutations of bits */           \
  FormList setp_forms();     /* comparisons that give a predicate */                        \
  FormList select_forms();   /* selp, slct, testp, logic on predicates */                   \
  FormList float32_forms();                                                                 \
  FormList float64_forms();                                                                 \
  FormList half_forms();            /* f16, bf16 and their pairs */                         \
  FormList convert_forms();         /* cvt between floats */                                \
  FormList convert_integer_forms(); /* cvt between integers, and with floats */             \
  FormList approximate_forms();                                                             \
  FormList rare_float_forms();           /* directed roundings, .xorsign.abs */             \
  FormList rare_half_forms();            /* .ftz, .sat, .xorsign.abs; setp, set of pairs */ \
  FormList rare_convert_forms();         /* directed roundings, modifiers, 8 bits */        \
  FormList rare_convert_integer_forms(); /* directed roundings, .sat; of bf16, f64 */       \
  FormList internal_forms();             /* what only the decoder uses */                   \
  }

namespace ropewalk::machine {

RW_FORM_LISTS(generic)
RW_FORM_LISTS(v3)
RW_FORM_LISTS(v4)

}  // namespace ropewalk::machine
