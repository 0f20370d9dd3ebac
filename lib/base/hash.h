// A hash of texts that is the same on every machine and in every version: ids and streams depend on it.
#pragma once
#include <string>
#include <string_view>

#include "lib/base/random.h"

namespace ropewalk {

// FNV-1a over the parts, each ended by a byte that no text has, so that ("ab", "c") and ("a", "bc") differ.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(u8(c));
    add_byte(0xff);
  }
  void add(u64 number) { add(std::to_string(number)); }
  u64 value() const { return mix(state_); }

 private:
  void add_byte(u8 byte) { state_ = (state_ ^ byte) * 0x100000001b3ull; }
  u64 state_ = 0xcbf29ce484222325ull;
};

inline u64 hash_of(std::string_view text) {
  Hash hash;
  hash.add(text);
  return hash.value();
}

}  // namespace ropewalk
