// How the files of forms write their tables.
#pragma once
#include "lib/machine/handlers/compute.h"

// One line of a table: the canonical opcode and the function that computes it.
#define RW_FORM(key, ...) \
  { key, form_of<__VA_ARGS__>() }
