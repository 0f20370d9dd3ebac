#include "lib/compat/tar.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <memory>

#include "lib/base/error.h"
#include "lib/base/types.h"

namespace ropewalk::compat {
namespace {

constexpr i64 most_bytes = i64(4) << 30;

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using ArchiveReader = std::unique_ptr<archive, FreeArchive>;

}  // namespace

std::map<std::string, std::string> read_tar_gz(std::span<const std::byte> bytes, const std::string& path,
                                               bool (*wanted)(const std::string& name)) {
  const ArchiveReader reader(archive_read_new());
  const auto checked = [&](i64 status, i64 least) {
    if (status >= least) return status;
    const char* const why = archive_error_string(reader.get());
    throw InputError(InputLocation{path}, std::string("cannot be read as .tar.gz: ") + (why ? why : "out of memory"));
  };
  checked(archive_read_support_filter_gzip(reader.get()), ARCHIVE_OK);
  checked(archive_read_support_format_tar(reader.get()), ARCHIVE_OK);
  checked(archive_read_open_memory(reader.get(), bytes.data(), bytes.size()), ARCHIVE_OK);
  std::map<std::string, std::string> files;
  i64 sizes = 0;  // sparse files claim more than the archive holds
  archive_entry* entry = nullptr;
  // What is only odd, such as a name in a foreign encoding, is read nevertheless.
  while (checked(archive_read_next_header(reader.get(), &entry), ARCHIVE_WARN) != ARCHIVE_EOF) {
    const i64 size = std::min(archive_entry_size(entry), most_bytes + 1);
    sizes += size;
    if (std::max(sizes, archive_filter_bytes(reader.get(), 0)) > most_bytes) {
      throw InputError(InputLocation{path}, "unpacks to more than 4 GiB");
    }
    const char* const stated = archive_entry_pathname(entry);
    const std::string name = stated ? stated : "";
    const bool is_file = archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry);
    if (!is_file || !wanted(name)) continue;
    std::string data;
    char piece[1 << 16];
    while (const i64 count = checked(archive_read_data(reader.get(), piece, sizeof piece), 0)) {
      data.append(piece, u64(count));
    }
    files[name] = std::move(data);
  }
  return files;
}

}  // namespace ropewalk::compat
