#include "lib/tensor/zip.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/nearest.h"

// The layout of zip archives is PKWARE's APPNOTE.TXT 6.3; section numbers below are of that document.
namespace ropewalk {
namespace {

constexpr u64 end_signature = 0x06054b50, end64_signature = 0x06064b50, locator64_signature = 0x07064b50;
constexpr u64 member_signature = 0x02014b50, local_signature = 0x04034b50;
constexpr u64 end_size = 22, locator64_size = 20, member_size = 46, local_size = 30;

// Inflates raw deflate data; false where it is damaged or its length is another than `bytes`.
bool inflate_into(std::span<const std::byte> packed, std::vector<std::byte>& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  u64 in = 0, out = 0;
  int status = Z_OK;
  std::byte beyond{};  // room for one byte more than expected, so that longer data is noticed
  while (status == Z_OK) {
    const u64 room = bytes.size() - out;
    const uInt take = uInt(std::min<u64>(packed.size() - in, 1u << 30));
    const uInt give = uInt(std::min<u64>(std::max<u64>(room, 1), 1u << 30));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in));
    stream.avail_in = take;
    stream.next_out = reinterpret_cast<Bytef*>(room ? bytes.data() + out : &beyond);
    stream.avail_out = give;
    status = inflate(&stream, Z_NO_FLUSH);
    in += take - stream.avail_in;
    out += give - stream.avail_out;
    if (out > bytes.size()) status = Z_DATA_ERROR;
    if (status == Z_OK && take == stream.avail_in && give == stream.avail_out) status = Z_DATA_ERROR;  // no progress
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && out == bytes.size();
}

u32 checksum_of(std::span<const std::byte> bytes) {
  return u32(crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {
  read_directory();
}

void ZipArchive::fail(const std::string& field, const std::string& what) const {
  throw InputError(InputLocation{path_, 0, 0, field}, what);
}

u64 ZipArchive::number(u64 at, u32 bytes) const {
  if (at > bytes_.size() || bytes > bytes_.size() - at) fail("zip archive", "ends in the middle of a record");
  u64 value = 0;
  for (u32 i = 0; i < bytes; ++i) value |= u64(bytes_[at + i]) << (8 * i);
  return value;
}

void ZipArchive::read_directory() {
  // 4.3.16: the end record stands at the end of the file, behind it at most a comment of 65,535 bytes.
  if (bytes_.size() < end_size) fail("", "is no zip archive: it is too short");
  u64 end = bytes_.size() - end_size;
  const u64 first = end > 65535 ? end - 65535 : 0;
  while (end > first && number(end, 4) != end_signature) --end;
  if (number(end, 4) != end_signature) fail("", "is no zip archive: it has no end of central directory");
  u64 count = number(end + 10, 2);
  u64 at = number(end + 16, 4);
  // 4.3.14 and 15: where numbers do not fit, a record of 64-bit numbers stands before.
  if (end >= locator64_size && number(end - locator64_size, 4) == locator64_signature) {
    const u64 end64 = number(end - locator64_size + 8, 8);
    if (number(end64, 4) != end64_signature) fail("zip archive", "has a broken 64-bit end record");
    count = number(end64 + 32, 8);
    at = number(end64 + 48, 8);
  }
  for (u64 i = 0; i < count; ++i) members_.push_back(read_member(at));
}

ZipArchive::Member ZipArchive::read_member(u64& at) const {
  // 4.3.12
  if (number(at, 4) != member_signature) fail("zip archive", "has a broken central directory");
  const u64 flags = number(at + 8, 2), name_length = number(at + 28, 2);
  const u64 extra_length = number(at + 30, 2), comment_length = number(at + 32, 2);
  Member member;
  member.method = u32(number(at + 10, 2));
  member.checksum = u32(number(at + 16, 4));
  member.packed_bytes = number(at + 20, 4);
  member.bytes = number(at + 24, 4);
  member.local_header = number(at + 42, 4);
  const u64 extra = at + member_size + name_length, behind = extra + extra_length + comment_length;
  if (behind > bytes_.size()) fail("zip archive", "ends inside its central directory");
  const char* name = reinterpret_cast<const char*>(bytes_.data()) + at + member_size;
  member.name.assign(name, name_length);
  if (flags & 1) fail(member.name, "is encrypted");
  // 4.5.3: the 64-bit forms of those numbers that are all ones, in this order.
  for (u64 field = extra; field + 4 <= extra + extra_length;) {
    const u64 tag = number(field, 2), length = number(field + 2, 2);
    u64 value = field + 4;
    if (tag == 1) {
      for (u64* wide : {&member.bytes, &member.packed_bytes, &member.local_header}) {
        if (*wide != 0xffffffff || value + 8 > field + 4 + length) continue;
        *wide = number(value, 8);
        value += 8;
      }
    }
    field += 4 + length;
  }
  at = behind;
  return member;
}

std::span<const std::byte> ZipArchive::packed(const Member& member) const {
  // 4.3.7
  if (number(member.local_header, 4) != local_signature) fail(member.name, "has no local header in the zip archive");
  const u64 name_length = number(member.local_header + 26, 2), extra_length = number(member.local_header + 28, 2);
  const u64 begin = member.local_header + local_size + name_length + extra_length;
  if (begin > bytes_.size() || member.packed_bytes > bytes_.size() - begin)
    fail(member.name, "runs past the end of the file");
  return bytes_.subspan(begin, member.packed_bytes);
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.name);
  return names;
}

const ZipArchive::Member& ZipArchive::member(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.name == name; });
  if (found == members_.end()) fail("", "has no member \"" + std::string(name) + "\", " + did_you_mean(name, names()));
  return *found;
}

bool ZipArchive::has(std::string_view name) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.name == name; });
}

std::span<const std::byte> ZipArchive::in_place(std::string_view name) const {
  const Member& found = member(name);
  if (found.method != 0) fail(found.name, "is packed, expected stored");
  if (found.packed_bytes != found.bytes) fail(found.name, "is stored in another length than its own");
  return packed(found);
}

bool ZipArchive::is_stored(std::string_view name) const { return member(name).method == 0; }

std::vector<std::byte> ZipArchive::load(std::string_view name) const {
  const Member& found = member(name);
  const std::span<const std::byte> data = packed(found);
  std::vector<std::byte> bytes;
  if (found.method == 0) {
    bytes.assign(data.begin(), data.end());
  } else if (found.method == 8) {
    // Deflate makes at most 1,032 bytes of one: a length beyond that is a lie and no reason to allocate.
    if (found.bytes / 1032 > data.size())
      fail(found.name, "claims an impossible length of " + std::to_string(found.bytes) + " bytes");
    bytes.resize(found.bytes);
    if (!inflate_into(data, bytes)) fail(found.name, "its deflated data are damaged");
  } else {
    fail(found.name, "is packed by method " + std::to_string(found.method) + ", expected stored (0) or deflated (8)");
  }
  if (checksum_of(bytes) != found.checksum) fail(found.name, "its checksum is wrong: the data are damaged");
  return bytes;
}

}  // namespace ropewalk
