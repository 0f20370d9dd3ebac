// Source archives (.tar.gz): the members' bytes, in memory.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ropewalk {

struct TarMember {
  std::string name;
  std::string data;
};

// The regular files of a gzipped tar archive (POSIX.1-1988 ustar with GNU long names and PAX paths) whose names
// `wanted` takes. Throws InputError where the bytes are damaged or would unpack to more than 4 GiB.
std::vector<TarMember> read_tar_gz(std::span<const std::byte> bytes, const std::string& path,
                                   bool (*wanted)(const std::string& name));

}  // namespace ropewalk
