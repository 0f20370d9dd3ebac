// Zip archives put together by hand, for tests of .npz.
#pragma once
#include <zlib.h>

#include <string>
#include <vector>

namespace ropewalk {

struct ZipMember {
  std::string name;
  std::string data;
  bool deflated = false;
};

inline std::string little_endian(unsigned long value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += char(value & 0xff);
  return text;
}

// Without a header, as in a zip archive, unless window_bits say otherwise (zlib's deflateInit2).
inline std::string deflated(const std::string& data, int window_bits = -MAX_WBITS) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(data.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = uInt(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Local headers, data, central directory and end record.
inline std::string zip_file(const std::vector<ZipMember>& members) {
  std::string file, directory;
  for (const ZipMember& member : members) {
    const std::string packed = member.deflated ? deflated(member.data) : member.data;
    const unsigned long checksum =
        crc32(0, reinterpret_cast<const Bytef*>(member.data.data()), uInt(member.data.size()));
    const std::string common = little_endian(0, 2) + little_endian(member.deflated ? 8 : 0, 2) + little_endian(0, 4) +
                               little_endian(checksum, 4) + little_endian(packed.size(), 4) +
                               little_endian(member.data.size(), 4) + little_endian(member.name.size(), 2);
    directory += "PK\1\2" + little_endian(20, 2) + little_endian(20, 2) + common + little_endian(0, 12) +
                 little_endian(file.size(), 4) + member.name;
    file += "PK\3\4" + little_endian(20, 2) + common + little_endian(0, 2) + member.name + packed;
  }
  const std::string end = "PK\5\6" + little_endian(0, 4) + little_endian(members.size(), 2) +
                          little_endian(members.size(), 2) + little_endian(directory.size(), 4) +
                          little_endian(file.size(), 4) + little_endian(0, 2);
  return file + directory + end;
}

}  // namespace ropewalk
