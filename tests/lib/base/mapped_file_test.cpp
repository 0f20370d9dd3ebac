#include "lib/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file_error.h"
#include "tests/lib/message.h"

namespace ropewalk {
namespace {

TEST(MappedFile, what_is_written_is_read) {
  const std::string path = testing::TempDir() + "ropewalk_mapped_file";
  write_file(path, std::string("a\0b", 3));
  MappedFile file(path);
  EXPECT_EQ(file.text(), std::string_view("a\0b", 3));
  const MappedFile moved = std::move(file);
  EXPECT_EQ(moved.bytes().size(), 3u);
  write_file(path, "");
  EXPECT_EQ(MappedFile(path).text(), "");
}

TEST(MappedFile, errors_name_path_and_reason) {
  EXPECT_EQ(message_of([] { MappedFile("/no/such/file"); }),
            "/no/such/file: cannot be opened: No such file or directory");
  EXPECT_THROW(MappedFile(std::string("/dev\0/none", 10)), FileError);
  EXPECT_EQ(message_of([] { MappedFile("/"); }), "/: cannot be read: Is a directory");
  EXPECT_EQ(message_of([] { write_file("/no/such/file", ""); }),
            "/no/such/file: cannot be written: No such file or directory");
}

TEST(MappedFile, a_pipe_without_a_writer_is_refused_at_once) {
  const std::string path = testing::TempDir() + "ropewalk_pipe";
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { MappedFile file(path); }), path + ": is a pipe; expected a file");
  EXPECT_EQ(message_of([] { MappedFile file("/dev/null"); }), "/dev/null: is a device; expected a file");
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace ropewalk
