#include "lib/tensor/torch_file.h"

#include <gtest/gtest.h>

#include "tests/lib/message.h"
#include "tests/lib/tensor/zip_text.h"

namespace ropewalk {
namespace {

std::string text(const std::string& value) { return "X" + little_endian(value.size(), 4) + value; }
std::string tuple(const std::vector<int>& values) {
  std::string out = "(";
  for (const int value : values) out += "K" + std::string(1, char(value));
  return out + "t";
}
// What torch pickles for a tensor: a call of _rebuild_tensor_v2 with a storage by reference.
std::string tensor(const std::string& storage, const std::string& key, int offset, const std::vector<int>& size,
                   const std::vector<int>& stride) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + storage + "\n" + text(key) +
         text("cpu") + "K\6tQK" + std::string(1, char(offset)) + tuple(size) + tuple(stride) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}
std::string pickled(const std::string& body) { return std::string("\x80\2", 2) + body + "."; }

std::string six_floats() {
  const float values[6] = {0, 1, 2, 3, 4, 5};
  return {reinterpret_cast<const char*>(values), sizeof values};
}
std::string file(const std::string& body, bool deflated = false) {
  return zip_file({{"cache/data.pkl", pickled(body), deflated},
                   {"cache/byteorder", "little"},
                   {"cache/data/0", six_floats(), deflated}});
}
std::vector<TorchTensor> tensors_of(const std::string& bytes) {
  return read_torch(std::as_bytes(std::span(bytes)), "cache.pt");
}
std::string refused(const std::string& bytes) {
  return message_of([&] { tensors_of(bytes); });
}
std::vector<double> values_of(const TorchTensor& one) {
  std::vector<double> out;
  for (size_t at = 0; at < one.data.size(); at += size_of(one.dtype))
    out.push_back(load_as_double(one.data.data() + at, one.dtype));
  return out;
}

TEST(TorchFile, ReadsTensorsOfNestedDicts) {
  for (const bool deflated : {false, true}) {
    const std::string bytes = file("}(" + text("rope") + "}" + text("cos") +
                                       tensor("FloatStorage", "0", 0, {2, 3}, {3, 1}) + "s" + text("step") + "K\7u",
                                   deflated);
    const std::vector<TorchTensor> tensors = tensors_of(bytes);
    ASSERT_EQ(tensors.size(), 1u);
    EXPECT_EQ(tensors[0].name, "rope.cos");
    EXPECT_EQ(tensors[0].shape, (Shape{2, 3}));
    EXPECT_EQ(values_of(tensors[0]), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(tensors[0].copy != nullptr, deflated);
  }
}

TEST(TorchFile, ReadsViewsOfAStorage) {
  EXPECT_EQ(values_of(tensors_of(file(tensor("FloatStorage", "0", 0, {3, 2}, {1, 3})))[0]),
            (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values_of(tensors_of(file(tensor("FloatStorage", "0", 4, {2}, {1})))[0]), (std::vector<double>{4, 5}));
  EXPECT_EQ(values_of(tensors_of(file(tensor("FloatStorage", "0", 1, {3}, {0})))[0]), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(tensors_of(file(tensor("ComplexFloatStorage", "0", 0, {3}, {1})))[0].dtype, Dtype::C64);
}

// What torch.save leaves undone of x.conj() and of x.conj().imag.
TEST(TorchFile, ReadsConjugateAndNegatedTensors) {
  const auto with_bits = [](const std::string& storage, const std::string& bits) {
    std::string call = tensor(storage, "0", 0, {3}, {1});
    call.insert(call.size() - 2, "}(" + bits + "u");
    return file(call);
  };
  const std::string conjugate = text("conj") + "\x88", negated = text("neg") + "\x88";
  const auto parts = [&](const std::string& bits) {
    const std::string bytes = with_bits("ComplexFloatStorage", bits);
    TorchTensor read_one = tensors_of(bytes)[0];
    read_one.dtype = Dtype::F32;  // one number after the other
    return values_of(read_one);
  };
  EXPECT_EQ(parts(conjugate), (std::vector<double>{0, -1, 2, -3, 4, -5}));
  EXPECT_EQ(parts(negated), (std::vector<double>{-0.0, -1, -2, -3, -4, -5}));
  EXPECT_EQ(parts(conjugate + negated), (std::vector<double>{-0.0, 1, -2, 3, -4, 5}));
  EXPECT_EQ(parts(text("conj") + "\x89"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values_of(tensors_of(with_bits("FloatStorage", negated))[0]), (std::vector<double>{-0.0, -1, -2}));
  EXPECT_NE(refused(with_bits("FloatStorage", text("shift") + "\x88")).find("has unknown bits"), std::string::npos);
}

// What torch writes for nn.Buffer, and for a parameter with attributes.
TEST(TorchFile, ReadsTensorsWithAttributes) {
  const std::string inner = tensor("FloatStorage", "0", 0, {2, 3}, {3, 1});
  const std::string arguments = inner.substr(inner.find("(("), inner.size() - inner.find("((") - 1);
  const auto of_type = [&](const std::string& function, const std::string& type) {
    return "ctorch._tensor\n_rebuild_from_type_v2\n(" + function + type + arguments + "}" + text("persistent") +
           "\x89stR";
  };
  const std::string rebuild = "ctorch._utils\n_rebuild_tensor_v2\n";
  for (const std::string& body :
       {of_type(rebuild, "ctorch\nTensor\n"), of_type(rebuild, "ctorch.nn.parameter\nBuffer\n"),
        "ctorch._utils\n_rebuild_parameter_with_state\n(" + inner + "\x89}}tR"}) {
    const std::string bytes = file(body);
    const std::vector<TorchTensor> tensors = tensors_of(bytes);
    ASSERT_EQ(tensors.size(), 1u);
    EXPECT_EQ(values_of(tensors[0]), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  }
  EXPECT_NE(refused(file(of_type("ctorch\nSize\n", "ctorch\nTensor\n"))).find("is not rebuilt as a tensor"),
            std::string::npos);
  EXPECT_NE(refused(file(of_type("cos\nsystem\n", "ctorch\nTensor\n"))).find("names \"os.system\""), std::string::npos);
}

TEST(TorchFile, NeverCarriesOutWhatItReads) {
  EXPECT_EQ(
      refused(file("cos\nsystem\n" + text("true") + "\x85R")),
      "cache.pt: pickle, byte 13: names \"os.system\", which is not needed to rebuild a tensor: it is not carried out");
  EXPECT_NE(
      refused(file(text("builtins") + text("eval") + "\x93" + text("1") + "\x85R")).find("names \"builtins.eval\""),
      std::string::npos);
  EXPECT_NE(refused(file("ctorch.storage\n_load_from_bytes\n")).find("names \"torch.storage._load_from_bytes\""),
            std::string::npos);
  EXPECT_NE(refused(file("cposix\nsystem\n")).find("is not carried out"), std::string::npos);
}

TEST(TorchFile, RefusesDamage) {
  EXPECT_NE(
      refused(file(tensor("FloatStorage", "0", 0, {2, 4}, {4, 1}))).find("reaches past its storage of 6 elements"),
      std::string::npos);
  EXPECT_NE(refused(file(tensor("FloatStorage", "9", 0, {2}, {1}))).find("has no member \"cache/data/9\""),
            std::string::npos);
  EXPECT_NE(refused(file("}(" + text("a") + "u")).find("key without a value"), std::string::npos);
  EXPECT_NE(refused(file("h\7")).find("recalls a value that was not kept"), std::string::npos);
  EXPECT_NE(refused(file("]q\1h\1a")).find("contains itself"), std::string::npos);
  std::string doubled = "]";
  for (int n = 0; n < 60; ++n) doubled += "2\x86";
  EXPECT_NE(refused(file(doubled)).find("ways"), std::string::npos);
  EXPECT_NE(refused("\x80\2}.").find("is no zip archive"), std::string::npos);
  EXPECT_NE(refused(zip_file({{"a", "b"}})).find("without a data.pkl"), std::string::npos);
}

}  // namespace
}  // namespace ropewalk
