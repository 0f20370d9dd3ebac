// What the injected library finds in modules: parameters of kernels, compared with the reader of PTX, and the PTX in
// fat binaries, as nvcc writes them.
#include "lib/trace/recorder/images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/base/mapped_file.h"
#include "lib/ptx/read.h"

namespace ropewalk::trace {
namespace {

namespace files = std::filesystem;

std::vector<std::string> ptx_files() {
  std::vector<std::string> out;
  for (const char* folder : {"kernels", "tests/data"}) {
    for (const auto& entry : files::recursive_directory_iterator(std::string(ROPEWALK_SOURCE_DIR) + "/" + folder)) {
      if (entry.path().extension() == ".ptx") out.push_back(entry.path().string());
    }
  }
  return out;
}

TEST(Images, ParametersAreThoseThatTheReaderFinds) {
  u32 kernels = 0;
  for (const std::string& path : ptx_files()) {
    ptx::Module module;
    try {
      module = ptx::read_file(path);
    } catch (const std::exception&) {
      continue;  // data of tests that is no PTX
    }
    const MappedFile file(path);
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      std::vector<ParameterRange> ranges;
      ASSERT_TRUE(parameters_in_ptx(file.text(), function.name, ranges)) << path << " " << function.name;
      ASSERT_EQ(ranges.size(), function.parameter_count) << path << " " << function.name;
      u64 end = 0;
      for (u32 n = 0; n < ranges.size(); ++n) {
        const ptx::Variable& parameter = function.parameter(n);
        const u64 alignment = parameter.alignment ? parameter.alignment : ptx::size_of(parameter.type);
        end = (end + alignment - 1) / alignment * alignment;
        EXPECT_EQ(ranges[n].offset, end) << path << " " << function.name << " " << n;
        EXPECT_EQ(ranges[n].bytes, parameter.bytes()) << path << " " << function.name << " " << n;
        end += parameter.bytes();
      }
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 100u);
}

TEST(Images, KernelsWhoseNamesBeginAlikeAreApart) {
  const std::string text =
      ".version 8.0\n.entry add_more(.param .b8 s[24])\n{}\n.entry add (\n .param .u64 a,\n .param .f32 b\n)\n{}\n";
  std::vector<ParameterRange> ranges;
  ASSERT_TRUE(parameters_in_ptx(text, "add", ranges));
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[1].offset, 8u);
  EXPECT_EQ(ranges[1].bytes, 4u);
  ASSERT_TRUE(parameters_in_ptx(text, "add_more", ranges));
  EXPECT_EQ(ranges[0].bytes, 24u);
  EXPECT_FALSE(parameters_in_ptx(text, "more", ranges));
}

TEST(Images, WhatIsNoModuleIsNothing) {
  EXPECT_EQ(image_at("hello").kind, "");
  EXPECT_EQ(image_at("").kind, "");
  EXPECT_EQ(image_at("\x01\x02\x03\x04").kind, "");
  EXPECT_EQ(image_at("// a comment\n.version 8.0\n").kind, "ptx");
}

// A file of the toolkit's compiler, made for this test; empty where there is none.
std::string compiled(const std::string& options, const std::string& name) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/images_test.cu")
      << "extern \"C\" __global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n";
  const std::string path = folder + "/" + name;
  const std::string command =
      "PATH=$PATH:/usr/local/cuda/bin nvcc " + options + " -o " + path + " " + folder + "/images_test.cu";
  if (std::system((command + " > /dev/null 2>&1").c_str()) != 0) return "";
  const MappedFile file(path);
  return std::string(file.text()) + std::string(64, '\0');
}

std::string bytes_of(const std::string& file) { return std::string(MappedFile(file).text()); }
std::string fat_binary(const std::string& mode) {
  return bytes_of(ROPEWALK_SOURCE_DIR "/tests/data/driver/add_" + mode + ".fatbin");
}

// The text that is kept for a launch of `kernel`; empty: none.
std::string text_for(Images& images, const std::string& kernel, Handle module = nullptr) {
  const std::string folder = testing::TempDir();
  const auto json = images.json(kernel, module, folder);
  return json.contains("file") ? bytes_of(folder + "/" + std::string(json["file"])) : "";
}

class FatBinary : public testing::TestWithParam<const char*> {};

TEST_P(FatBinary, GivesItsPtxWhenItIsAskedFor) {
  const std::string bytes = fat_binary(GetParam());
  const Image image = image_at(bytes.data());
  EXPECT_EQ(image.kind, "fatbin");
  EXPECT_EQ(image.ptx.size() + image.packed.size(), 2u);
  EXPECT_EQ(image.packed.empty(), std::string(GetParam()) == "none");
  Images images;
  {
    std::string copy = bytes;  // a program may free it
    images.loaded(&images, copy.data());
    std::ranges::fill(copy, 'x');
  }
  const std::string text = text_for(images, "add_one", &images);
  EXPECT_NO_THROW(EXPECT_EQ(ptx::read(text, "add.ptx").functions.at(0).name, "add_one"));
  EXPECT_EQ(text_for(images, "add_one"), text);
  EXPECT_EQ(text_for(images, "add_two"), "");
  std::vector<ParameterRange> ranges;
  EXPECT_TRUE(images.parameters_of("add_one", ranges));
  EXPECT_GT(ranges.size(), 0u);
}

TEST_P(FatBinary, IsAFileToo) {
  const std::string path = ROPEWALK_SOURCE_DIR "/tests/data/driver/add_" + std::string(GetParam()) + ".fatbin";
  Images images;
  images.loaded_from(&images, path.c_str());
  EXPECT_NE(text_for(images, "add_one", &images), "");
  const std::string whole = bytes_of(path);
  for (u64 size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(image_of_file(whole.substr(0, size)).packed.empty()) << size;
  }
}

// What is damaged ends nobody's program; it has no text.
TEST_P(FatBinary, MayBeDamaged) {
  std::string bytes = fat_binary(GetParam());
  for (u64 at = 300; at < bytes.size(); ++at) bytes[at] = char(~bytes[at]);
  Images images;
  images.loaded(&images, bytes.data());
  EXPECT_EQ(text_for(images, "add_one", &images), "");
}

INSTANTIATE_TEST_SUITE_P(Images, FatBinary, testing::Values("none", "speed", "size"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST(Images, CubinsAreKnownByTheirBytes) {
  const std::string cubin = compiled("-cubin -arch=sm_80", "twice.cubin");
  if (cubin.empty()) GTEST_SKIP() << "nvcc is not installed";
  const Image image = image_at(cubin.data());
  EXPECT_EQ(image.kind, "cubin");
  EXPECT_EQ(image.bytes, cubin.size() - 64);
  EXPECT_NE(image.hash, 0u);
}

}  // namespace
}  // namespace ropewalk::trace
