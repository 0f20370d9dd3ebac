// Zip archives, members stored or deflated (PKWARE's APPNOTE.TXT 6.3).
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

class ZipArchive {
 public:
  // Reads the archive's directory. The bytes must outlive the object; `path` is used in messages. Throws InputError
  // where the bytes are no zip archive or use encryption or several volumes.
  ZipArchive(std::span<const std::byte> bytes, std::string path);

  // In the order of the archive.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;
  // Each throws InputError where there is no such member.
  bool is_stored(std::string_view name) const;
  // The bytes of a stored member where they lie; nothing is compared with the checksum.
  std::span<const std::byte> in_place(std::string_view name) const;
  // The unpacked bytes. Throws InputError where they are damaged (length and checksum are compared).
  std::vector<std::byte> load(std::string_view name) const;

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
  const Member& member(std::string_view name) const;
  u64 number(u64 at, u32 bytes) const;
  std::span<const std::byte> packed(const Member& member) const;
  [[noreturn]] void fail(const std::string& field, const std::string& what) const;

  std::span<const std::byte> bytes_;
  std::string path_;
  std::vector<Member> members_;
};

}  // namespace ropewalk
