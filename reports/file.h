// Report files.
#pragma once
#include <string>
#include <string_view>

namespace ropewalk::reports {

// Writes `text` to `path` so that a reader sees the old file or the new one and never a part: into a file beside it,
// flushed to the disk, then renamed. A path that exists and is no regular file (a pipe, a terminal) is written
// straight. Throws InputError where the file cannot be written.
void write_file_atomically(const std::string& path, std::string_view text);

// Throws InputError where write_file_atomically would fail for want of a folder or of the right to write in it, so that
// a long run need not end to say so.
void require_writable(const std::string& path);

}  // namespace ropewalk::reports
