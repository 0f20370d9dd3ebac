#include "lib/compat/source_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lib/compat/provider.h"
#include "tests/lib/message.h"
#include "tests/lib/tensor/zip_text.h"

namespace ropewalk::compat {
namespace {

namespace fs = std::filesystem;

class SourceTrees : public ::testing::Test {
 protected:
  ~SourceTrees() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  const fs::path folder_ = fs::temp_directory_path() / ("ropewalk_source_tree_" + std::to_string(getpid()));
};

// One member of a tar archive.
std::string tar_member(const std::string& name, const std::string& data, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, std::min<size_t>(name.size(), 100), name.substr(0, 100));
  char size[12];
  std::snprintf(size, sizeof size, "%011lo", static_cast<unsigned long>(data.size()));
  header.replace(124, 11, size);
  header[156] = type;
  header.replace(257, 5, "ustar");
  unsigned sum = 8 * ' ';  // the checksum's own field counts as blanks
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  std::snprintf(size, sizeof size, "%06o", sum);
  header.replace(148, 6, size);
  return header + data + std::string((512 - data.size() % 512) % 512, '\0');
}

std::string gzipped(const std::string& data) { return deflated(data, MAX_WBITS + 16); }

const std::string init = "__version__ = \"1.2.3\"\n";
const std::string api = "def f(a, b=1): return a, b\n";

TEST_F(SourceTrees, AreTheSameFromEveryForm) {
  const std::string long_name = "pkg-1.2.3/" + std::string(120, 'x') + ".py";
  write("folder/pkg/__init__.py", init);
  write("folder/pkg/api.py", api);
  const std::string wheel =
      write("pkg.whl", zip_file({{"pkg/__init__.py", init, true},
                                 {"pkg/api.py", api, true},
                                 {"pkg-1.2.3.dist-info/METADATA", "Name: pkg\nVersion: 1.2.3\n", false}}));
  const std::string archive = write(
      "pkg.tar.gz", gzipped(tar_member("././@LongLink", long_name, 'L') + tar_member("x", "x = 1\n") +
                            tar_member("pkg-1.2.3/pkg/__init__.py", init) + tar_member("pkg-1.2.3/pkg/api.py", api) +
                            tar_member("pkg-1.2.3/big.bin", "abc") + std::string(1024, '\0')));
  for (const std::string& path : {(folder_ / "folder").string(), (folder_ / "folder/pkg").string(),
                                  (folder_ / "folder/pkg/api.py").string(), wheel, archive}) {
    const Provider provider = load_provider(path, "");
    ASSERT_TRUE(provider.version) << path;
    EXPECT_EQ(provider.version->text, "1.2.3") << path;
    const Signature* const found = provider.find("pkg.api", "f");
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(text_of(*found), "f(a, b=1)") << path;
  }
  const SourceTree tree = read_source_tree(archive);
  EXPECT_EQ(tree.files.size(), 3u);
  EXPECT_EQ(std::ranges::count(tree.files, long_name, &SourceText::path), 1);
}

TEST_F(SourceTrees, NamesOfAnyLengthAndEncodingAreRead) {
  const std::string name = "pkg/" + std::string(200, 'x') + "/\u00fc.py";
  const std::string stated = " path=" + name + "\n", record = std::to_string(stated.size() + 3) + stated;
  const std::string archive = write(
      "pax.tar.gz", gzipped(tar_member("header", record, 'x') + tar_member("a.py", "a = 1") +
                            tar_member("pkg/one.py", "1") + tar_member("b.py", "", '1') + std::string(1024, '\0')));
  const SourceTree tree = read_source_tree(archive);
  ASSERT_EQ(tree.files.size(), 2u);  // a link is no file
  EXPECT_EQ(tree.files[0].text, "1");
  EXPECT_EQ(tree.files[1].path, name);
  EXPECT_EQ(tree.files[1].text, "a = 1");
}

TEST_F(SourceTrees, WhatCannotBeReadIsOneLine) {
  const std::string missing = (folder_ / "none.whl").string();
  EXPECT_EQ(message_of([&] { read_source_tree(missing); }), missing + ": cannot be opened: No such file or directory");
  const std::string empty = write("empty.zip", zip_file({{"a.txt", "a", false}}));
  EXPECT_EQ(message_of([&] { read_source_tree(empty); }), empty + ": holds no Python source (.py)");
  const std::string other = write("a.rpm", "x");
  EXPECT_EQ(message_of([&] { read_source_tree(other); }),
            other + ": expected a .py file, a folder, a wheel (.whl), a .zip or a source archive (.tar.gz)");
}

TEST_F(SourceTrees, DamagedArchivesAreOneLine) {
  const auto refused = [&](const std::string& bytes) {
    const std::string path = write("a.tar.gz", bytes);
    const std::string message = message_of([&] { read_source_tree(path); });
    const std::string start = path + ": cannot be read as .tar.gz: ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(std::min(start.size(), message.size()));
  };
  const std::string member = tar_member("a.py", std::string(5000, '#')), packed = gzipped(member);
  std::string flipped = member, damaged = packed;
  flipped[2] ^= 1;
  damaged[packed.size() / 2] ^= 0x55;
  EXPECT_EQ(refused(packed.substr(0, packed.size() / 2)), "truncated gzip input");
  EXPECT_EQ(refused(damaged), "gzip decompression failed");
  EXPECT_EQ(refused(gzipped(member.substr(0, 2000))), "Truncated tar archive");
  EXPECT_EQ(refused(gzipped(flipped)), "Unrecognized archive format");
  EXPECT_EQ(refused(gzipped("nothing of the kind")), "Unrecognized archive format");
  EXPECT_EQ(refused(""), "Unrecognized archive format");
}

TEST_F(SourceTrees, ProvidersThatAreNotKnownAreReportedWithTheNearest) {
  EXPECT_EQ(message_of([] { load_provider("flash-attn==2.6.4", ""); }),
            "--provider: the table does not know flash-attn 2.6.4; it knows 2.0.0 to 2.8.3.post2, the nearest below is "
            "2.6.3");
  EXPECT_EQ(message_of([] { load_provider("flash-atn==2.6.3", ""); }),
            "--provider: no table ships for \"flash-atn\", only for flash-attn; give the path of its sources");
}

}  // namespace
}  // namespace ropewalk::compat
