// Source archives (.tar.gz): the members' bytes, in memory.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace ropewalk::compat {

// By name, the regular files of a gzipped tar archive (any form that libarchive reads) whose names `wanted` takes.
// Throws InputError where the bytes are damaged or would unpack to more than 4 GiB.
std::map<std::string, std::string> read_tar_gz(std::span<const std::byte> bytes, const std::string& path,
                                               bool (*wanted)(const std::string& name));

}  // namespace ropewalk::compat
