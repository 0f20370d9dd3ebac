#include "lib/compat/tar.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/base/types.h"

namespace ropewalk {
namespace {

constexpr u64 block = 512, most_bytes = u64(4) << 30, longest_name = 1 << 16;

// Gunzips piece by piece, so that an archive that is large unpacked costs no memory.
class Gunzip {
 public:
  Gunzip(std::span<const std::byte> bytes, const std::string& path) : path_(path) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream_.avail_in = uInt(std::min<u64>(bytes.size(), 0xffffffffu));
    if (bytes.size() > 0xffffffffu) fail("is larger than 4 GiB");
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK) fail("cannot be unpacked");
  }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // Up to `size` bytes; fewer only at the end.
  std::string take(u64 size) {
    std::string out;
    while (out.size() < size && !done_) {
      char piece[1 << 16];
      stream_.next_out = reinterpret_cast<Bytef*>(piece);
      stream_.avail_out = uInt(std::min<u64>(size - out.size(), sizeof piece));
      const uInt room = stream_.avail_out;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      out.append(piece, room - stream_.avail_out);
      done_ = status == Z_STREAM_END;
      if (status != Z_OK && status != Z_STREAM_END) fail("its gzipped data are damaged or cut off");
    }
    total_ += out.size();
    if (total_ > most_bytes) fail("unpacks to more than 4 GiB");
    return out;
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(Place{path_}, what); }

 private:
  const std::string& path_;
  z_stream stream_{};
  u64 total_ = 0;
  bool done_ = false;
};

// A text field of a header, ended by a zero or the field's end.
std::string field(const std::string& header, u64 at, u64 length) {
  const std::string text = header.substr(at, length);
  return text.substr(0, text.find('\0'));
}

// The path that a PAX header states ("30 path=a/b/c\n"), empty where it states none.
std::string pax_path(const std::string& data) {
  const size_t at = data.find(" path=");
  if (at == std::string::npos) return "";
  return data.substr(at + 6, data.find('\n', at) - at - 6);
}

}  // namespace

std::vector<TarMember> read_tar_gz(std::span<const std::byte> bytes, const std::string& path,
                                   bool (*wanted)(const std::string& name)) {
  Gunzip stream(bytes, path);
  std::vector<TarMember> members;
  std::string long_name;
  while (true) {
    const std::string header = stream.take(block);
    if (header.empty() || header.find_first_not_of('\0') == std::string::npos) break;
    if (header.size() < block || header.compare(257, 5, "ustar") != 0) stream.fail("is no tar archive");
    u64 size = 0;
    for (const char digit : field(header, 124, 12)) {
      if (digit >= '0' && digit <= '7') size = size * 8 + u64(digit - '0');
    }
    if (size > most_bytes) stream.fail("has a member of more than 4 GiB");
    std::string name = field(header, 0, 100);
    if (const std::string prefix = field(header, 345, 155); !prefix.empty()) name = prefix + "/" + name;
    if (!long_name.empty()) name = long_name;
    const char type = header[156];
    const bool names = type == 'L' || type == 'x';  // tells the next member's name
    const bool keep = (type == '0' || type == '\0') && wanted(name);
    if (names && size > longest_name) stream.fail("has a name of more than 64 KiB");
    long_name.clear();
    std::string data;
    for (u64 left = size; left > 0;) {
      const u64 step = keep || names ? left : std::min<u64>(left, 1 << 20);
      const std::string piece = stream.take(step);
      if (piece.size() < step) stream.fail("ends inside " + name);
      if (keep || names) data = piece;
      left -= step;
    }
    stream.take((block - size % block) % block);
    if (type == 'L') long_name = field(data, 0, data.size());
    if (type == 'x') long_name = pax_path(data);
    if (keep) members.push_back({name, std::move(data)});
  }
  return members;
}

}  // namespace ropewalk
