// What a call cannot do without.
#pragma once

namespace ropewalk::driver {

// Whether none of the pointers is null: what the call writes to or reads from. Else it answers "invalid value".
template <class... Pointers>
constexpr bool has_all(Pointers... pointers) {
  return (... && (pointers != nullptr));
}

// The same of a list, which may be null where it is empty.
template <class T>
constexpr bool has_list(const T* list, unsigned long long count) {
  return list || !count;
}

}  // namespace ropewalk::driver
