// NumPy's .npz files: zip archives of .npy files, stored or deflated.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/tensor/array.h"

namespace ropewalk {

class Npz {
 public:
  // Reads the archive's directory. The bytes must outlive the object; `path` is used in messages. Throws InputError
  // where the bytes are no zip archive or use what numpy does not write (encryption, archives of several volumes).
  Npz(std::span<const std::byte> bytes, std::string path);

  // Without ".npy", in the order of the archive.
  std::vector<std::string> names() const;
  // Throws InputError where there is no such array, or its data are damaged (length and checksum are compared).
  Array load(std::string_view name) const;

 private:
  struct Member {
    std::string name;
    u32 method = 0;  // 0: stored, 8: deflated
    u32 checksum = 0;
    u64 packed_bytes = 0, bytes = 0;
    u64 local_header = 0;  // offset in the file
  };
  void read_directory();
  Member read_member(u64& at) const;
  u64 number(u64 at, u32 bytes) const;
  std::span<const std::byte> packed(const Member& member) const;
  [[noreturn]] void fail(const std::string& field, const std::string& what) const;

  std::span<const std::byte> bytes_;
  std::string path_;
  std::vector<Member> members_;
};

}  // namespace ropewalk
