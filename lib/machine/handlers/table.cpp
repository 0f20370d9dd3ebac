#include "lib/machine/handlers/table.h"

#include "lib/base/processor.h"
#include "lib/machine/handlers/forms.h"

namespace ropewalk::machine {

namespace {

void add(Table& table, FormList list) {
  table.reserve(table.size() + list.count);
  for (u32 i = 0; i < list.count; ++i) {
    const FormEntry& entry = list.entries[i];
    table.insert_or_assign(entry.key, KnownForm{entry.form, bit_flow_of(entry.key)});
  }
}

#define RW_ADD_ALL(instruction_set)                     \
  add(table, instruction_set::integer_forms());         \
  add(table, instruction_set::multiply_forms());        \
  add(table, instruction_set::logic_forms());           \
  add(table, instruction_set::setp_forms());            \
  add(table, instruction_set::select_forms());          \
  add(table, instruction_set::float32_forms());         \
  add(table, instruction_set::float64_forms());         \
  add(table, instruction_set::half_forms());            \
  add(table, instruction_set::convert_forms());         \
  add(table, instruction_set::convert_integer_forms()); \
  add(table, instruction_set::approximate_forms());     \
  add(table, instruction_set::internal_forms());

// What is rare is there once, for any processor: its files cost more time to compile than they save in a run.
void add_rare(Table& table) {
  add(table, generic::rare_float_forms());
  add(table, generic::rare_half_forms());
  add(table, generic::rare_convert_forms());
  add(table, generic::rare_convert_integer_forms());
}

}  // namespace

Table table_of(std::string_view instruction_set) {
  Table table;
  add_rare(table);
#ifdef RW_HAVE_V4
  if (instruction_set == "v4") {
    RW_ADD_ALL(v4)
    return table;
  }
#endif
#ifdef RW_HAVE_V3
  if (instruction_set == "v3") {
    RW_ADD_ALL(v3)
    return table;
  }
#endif
  RW_ADD_ALL(generic)
  return table;
}

std::vector<std::string_view> instruction_set_names() {
  std::vector<std::string_view> names;
#ifdef RW_HAVE_V4
  if (has_x86_64_v4()) names.push_back("v4");
#endif
#ifdef RW_HAVE_V3
  if (has_x86_64_v3()) names.push_back("v3");
#endif
  names.push_back("generic");
  return names;
}

std::string_view instruction_set_name() { return instruction_set_names().front(); }

const Table& compute_table() {
  static const Table table = table_of(instruction_set_name());
  return table;
}

}  // namespace ropewalk::machine
