#include "reports/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/error.h"

namespace ropewalk::reports {
namespace {

namespace fs = std::filesystem;

class WrittenReport : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ropewalk-report-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string error_of(const std::string& path) {
    try {
      write_file_atomically(path, "text");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(WrittenReport, IsWrittenAndReplaced) {
  write_file_atomically(path("a.json"), "one");
  EXPECT_EQ(content(path("a.json")), "one");
  write_file_atomically(path("a.json"), "two");
  EXPECT_EQ(content(path("a.json")), "two");
}

TEST_F(WrittenReport, LeavesNothingElseBehind) {
  write_file_atomically(path("a.json"), "one");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(WrittenReport, HasTheRightsThatTheUmaskLeaves) {
  const mode_t before = umask(022);
  write_file_atomically(path("a.json"), "one");
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(path("a.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(WrittenReport, AMissingFolderIsNamed) {
  const std::string missing = path("no");
  EXPECT_EQ(error_of(missing + "/a.json"), missing + "/a.json: cannot write this file: there is no folder " + missing);
}

TEST_F(WrittenReport, AFolderIsNoFile) {
  EXPECT_EQ(error_of(folder_.string()), folder_.string() + ": cannot write this file: it is a folder");
  EXPECT_EQ(error_of(folder_.string() + "/"), folder_.string() + "/: cannot write this file: a file name is missing");
}

TEST_F(WrittenReport, AFolderWithoutRightsIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(folder_.c_str(), 0500);
  EXPECT_EQ(error_of(path("a.json")),
            path("a.json") + ": cannot write this file: no right to write in the folder " + folder_.string());
  chmod(folder_.c_str(), 0700);
}

TEST_F(WrittenReport, ALinkStaysAndItsTargetIsWritten) {
  const std::string target = path("target.json"), link = path("link.json");
  write_file_atomically(target, "before");
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  write_file_atomically(link, "after");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(target), "after");
}

// Standard output may be a regular file, which must not be taken from those who write to it.
TEST_F(WrittenReport, AnOpenDescriptorIsWrittenWhereItStands) {
  const std::string name = path("open.txt");
  const int open = ::open(name.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(open, 0);
  ASSERT_EQ(::write(open, "first ", 6), 6);
  write_file_atomically("/dev/fd/" + std::to_string(open), "second ");
  ASSERT_EQ(::write(open, "third", 5), 5);
  ::close(open);
  EXPECT_EQ(content(name), "first second third");
  EXPECT_EQ(error_of("/dev/fd/" + std::to_string(open)),
            "/dev/fd/" + std::to_string(open) + ": cannot write this file: Bad file descriptor");
}

TEST_F(WrittenReport, APipeIsWrittenStraight) {
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(error_of("/dev/full"), "/dev/full: cannot write this file: No space left on device");
}

}  // namespace
}  // namespace ropewalk::reports
