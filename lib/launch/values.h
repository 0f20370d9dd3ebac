// The values that an argument passes: itself, or those inside a struct.
#pragma once
#include <type_traits>

#include "lib/launch/launch.h"

namespace ropewalk {

// visit(value, byte) for each: a TensorArgument, ScalarArgument or NullArgument, and the byte of the parameter that it
// is put at. Values may be changed where the argument may.
template <class SomeArgument, class Visit>
void for_values(SomeArgument& argument, const Visit& visit) {
  const auto look = [&](auto& one) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, StructArgument>) {
      for (auto& part : one.parts) std::visit([&](auto& value) { visit(value, part.at); }, part.value);
    } else {
      visit(one, u64(0));
    }
  };
  std::visit(look, argument);
}

// visit(tensor argument, byte) for those of them that are tensors.
template <class SomeArgument, class Visit>
void for_tensors(SomeArgument& argument, const Visit& visit) {
  for_values(argument, [&](auto& value, u64 byte) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, TensorArgument>) visit(value, byte);
  });
}

}  // namespace ropewalk
