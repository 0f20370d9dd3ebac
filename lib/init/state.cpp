#include "lib/init/state.h"

namespace ropewalk::init {
namespace {

template <class Number>
void put(std::string& key, Number number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& key, const BufferState& buffer) {
  put(key, buffer.residence);
  put(key, buffer.label);
  put(key, buffer.content);
  put(key, buffer.dtype);
  put(key, buffer.rows);
  put(key, buffer.persistent);
  put(key, buffer.unscaled);
  put(key, buffer.computed_on_meta);
  put(key, buffer.had_values);
  put(key, buffer.rounded);
  for (const i16 number : {buffer.home, buffer.made_by, buffer.emptied_by, buffer.skipped_by, buffer.rounded_by}) {
    put(key, number);
  }
  put(key, buffer.synced);
  put(key, buffer.past.size());
  for (const PastAccess& access : buffer.past) {
    put(key, access.accesses);
    put(key, access.event);
    put(key, access.stream);
    put(key, access.behind);
  }
  put(key, buffer.captured);
  put(key, buffer.captured_content);
  put(key, buffer.captured_rows);
  put(key, buffer.captured_dtype);
  put(key, buffer.captured_by);
  put(key, buffer.freed_by);
}

}  // namespace

std::string_view name_of(Label label) {
  constexpr std::string_view names[] = {"ABSENT", "META",    "GARBAGE",         "PLAIN",
                                        "SCALED", "ROUNDED", "FROM_CHECKPOINT", "STALE"};
  return names[size_t(label)];
}

std::string UnitState::key() const {
  std::string key;
  for (const RankState& rank : ranks) {
    put(key, rank.module);
    put(key, rank.stopped);
    put(key, rank.failure);
    put(key, rank.zero_init);
    put(key, rank.late_class);
    put(key, rank.is_traced);
    for (const BufferState& buffer : rank.buffers) put(key, buffer);
  }
  for (const i16 rank : registered_by) put(key, rank);
  return key;
}

}  // namespace ropewalk::init
