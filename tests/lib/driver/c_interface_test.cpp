// libropewalk.so through its C interface alone, as other languages call it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "lib/driver/ropewalk.h"

namespace {

using Json = nlohmann::json;

// A text that the library handed out, which it gets back; "" for NULL.
std::string taken(char* text) {
  const std::string out = text ? text : "";
  ropewalk_free(text);
  return out;
}

std::string program() {
  std::ifstream file(std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/driver/program.ptx");
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

class CInterface : public testing::Test {
 protected:
  CInterface() : folder(std::filesystem::path(ROPEWALK_BINARY_DIR) / "tests/c_interface") {
    std::filesystem::create_directories(folder);
    EXPECT_EQ(taken(ropewalk_open(R"({"target": "sm_80"})", folder.c_str(), &session)), "");
    EXPECT_EQ(taken(ropewalk_load(session, 0, program().c_str(), "program", &module)), "");
  }
  ~CInterface() override {
    ropewalk_unload(module);
    ropewalk_close(session);
  }

  void lend(std::vector<float>& values, std::vector<std::uint64_t>* written = nullptr) {
    EXPECT_EQ(taken(ropewalk_lend(session, values.data(), 4 * values.size(), written ? written->data() : nullptr)), "");
  }

  static Json scale(const std::vector<float>& x, const std::vector<float>& y, unsigned n) {
    const auto tensor = [](const char* name, const std::vector<float>& values) {
      return Json{{"name", name},
                  {"bits", std::uint64_t(values.data())},
                  {"dtype", "f32"},
                  {"shape", {values.size()}},
                  {"strides", {1}}};
    };
    return {{"entry", "scale"},
            {"grid", {1, 1, 1}},
            {"block", {32, 1, 1}},
            {"arguments", {tensor("x", x), tensor("y", y), {{"name", "n"}, {"bits", n}}}},
            {"stack", {"forward (model.py:12)", "main (train.py:40)"}}};
  }

  // The answer; null: all is well.
  Json launch(const Json& wanted) {
    char* answer = nullptr;
    EXPECT_EQ(taken(ropewalk_launch(module, wanted.dump().c_str(), &answer)), "");
    return answer ? Json::parse(taken(answer)) : Json();
  }
  std::string refused(const Json& wanted) {
    char* answer = nullptr;
    const std::string why = taken(ropewalk_launch(module, wanted.dump().c_str(), &answer));
    EXPECT_EQ(answer, nullptr);
    return why;
  }

  std::filesystem::path folder;
  ropewalk_session* session = nullptr;
  ropewalk_module* module = nullptr;
};

TEST_F(CInterface, ALaunchWorksInPlace) {
  EXPECT_EQ(ropewalk_interface(), ROPEWALK_INTERFACE);
  std::vector<float> x(20, 3), y(20);
  lend(x);
  lend(y);
  EXPECT_TRUE(launch(scale(x, y, 20)).is_null());
  EXPECT_EQ(y, std::vector<float>(20, 6));
}

TEST_F(CInterface, AFindingNamesTheTensorAndTheCaller) {
  std::vector<float> x(20, 3), y(32);
  lend(x);
  lend(y);
  const Json answer = launch(scale(x, y, 21));
  ASSERT_EQ(answer.at("findings").size(), 1u) << answer;
  const Json& finding = answer["findings"][0];
  EXPECT_EQ(finding.at("rule"), "out-of-bounds-read");
  EXPECT_EQ(finding.at("message"), "reads 4 bytes at x[20], the first bytes past the end of x [20]");
  EXPECT_NE(finding.dump().find("launched at forward (model.py:12)"), std::string::npos);
  EXPECT_NE(finding.dump().find("called by main (train.py:40)"), std::string::npos);
}

TEST_F(CInterface, WrittenBytesAreKeptFromLaunchToLaunch) {
  std::vector<float> x(20, 3), y(20), z(20);
  std::vector<std::uint64_t> of_x(2), of_y(2);
  of_x[0] = (std::uint64_t(1) << 40) - 1;  // ten elements
  lend(x, &of_x);
  lend(y, &of_y);
  lend(z);
  EXPECT_TRUE(launch(scale(x, y, 10)).is_null());
  EXPECT_EQ(of_y, of_x);
  EXPECT_TRUE(launch(scale(y, z, 10)).is_null());
  const Json answer = launch(scale(y, z, 11));
  ASSERT_EQ(answer.at("findings").size(), 1u) << answer;
  EXPECT_EQ(answer["findings"][0].at("rule"), "uninitialized-read");
}

// 108 multiprocessors with 32 blocks each.
TEST_F(CInterface, MemoryThatOthersSeeCountsAsWritten) {
  std::vector<float> x(20), y(20);
  std::vector<std::uint64_t> nothing(2);
  lend(x, &nothing);
  lend(y);
  EXPECT_FALSE(launch(scale(x, y, 20)).is_null());
  void* data = nullptr;
  EXPECT_EQ(taken(ropewalk_bytes_at(session, std::uint64_t(x.data() + 4), 64, &data)), "");
  EXPECT_EQ(data, x.data() + 4);
  EXPECT_TRUE(launch(scale(x, y, 20)).is_null());
  EXPECT_NE(taken(ropewalk_bytes_at(session, std::uint64_t(x.data() + 4), 65, &data)).find("65 bytes"),
            std::string::npos);
  EXPECT_NE(taken(ropewalk_bytes_at(session, 64, 4, &data)), "");
}

TEST_F(CInterface, ACooperativeLaunchMustFitTheDevice) {
  std::vector<float> x(20, 3), y(20);
  lend(x);
  lend(y);
  Json wanted = scale(x, y, 20);
  wanted["grid"] = {3457, 1, 1};
  EXPECT_TRUE(launch(wanted).is_null());
  wanted["cooperative"] = false;
  EXPECT_TRUE(launch(wanted).is_null());
  wanted["cooperative"] = true;
  y.assign(20, 0);
  const Json answer = launch(wanted);
  EXPECT_EQ(answer.at("result"), 720);
  ASSERT_EQ(answer.at("findings").size(), 1u) << answer;
  EXPECT_EQ(answer["findings"][0].at("rule"), "launch-limit");
  EXPECT_NE(answer.dump().find("a cooperative launch of 3457 blocks, the device holds 3456 at once"),
            std::string::npos);
  EXPECT_NE(answer.dump().find("launched at forward (model.py:12)"), std::string::npos);
  EXPECT_EQ(y, std::vector<float>(20));
  wanted["grid"] = {3456, 1, 1};
  EXPECT_TRUE(launch(wanted).is_null());
}

TEST_F(CInterface, WhatIsWrongIsAText) {
  ropewalk_session* none = nullptr;
  EXPECT_NE(taken(ropewalk_open(R"({"colour": 1})", "", &none)).find("colour"), std::string::npos);
  ropewalk_module* no_module = nullptr;
  EXPECT_NE(taken(ropewalk_load(session, 0, "no PTX", "mine", &no_module)).find("mine"), std::string::npos);
  EXPECT_EQ(no_module, nullptr);

  std::vector<float> x(20), y(20);
  lend(x);
  EXPECT_NE(taken(ropewalk_lend(session, x.data() + 1, 4, nullptr)), "");
  EXPECT_EQ(taken(ropewalk_take_back(session, x.data())), "");
  EXPECT_NE(taken(ropewalk_take_back(session, x.data())), "");

  Json wanted = scale(x, y, 1);
  wanted["entry"] = "scales";
  EXPECT_NE(refused(wanted).find("there is no entry scales"), std::string::npos);
  wanted = scale(x, y, 1);
  wanted["arguments"].push_back({{"bits", 0}});
  EXPECT_NE(refused(wanted).find("4 arguments"), std::string::npos);
  wanted = scale(x, y, 1);
  wanted["arguments"][0]["dtype"] = "f12";
  EXPECT_NE(refused(wanted).find("dtype"), std::string::npos);
  wanted = scale(x, y, 1);
  wanted["grid"] = {0, 1, 1};
  EXPECT_NE(refused(wanted).find("grid"), std::string::npos);
  wanted = scale(x, y, 1);
  wanted["stacks"] = 1;
  EXPECT_NE(refused(wanted).find("stacks"), std::string::npos);
}

TEST_F(CInterface, AKernelTellsWhatItTakes) {
  char* about = nullptr;
  ASSERT_EQ(taken(ropewalk_kernel(module, "follow", &about)), "");
  EXPECT_EQ(Json::parse(taken(about)), (Json{{"parameters", {8, 8}}, {"follows_pointers", true}}));
  ASSERT_EQ(taken(ropewalk_kernel(module, "scale", &about)), "");
  EXPECT_EQ(Json::parse(taken(about)).at("follows_pointers"), false);
  char* options = nullptr;
  ASSERT_EQ(taken(ropewalk_options(session, &options)), "");
  EXPECT_EQ(Json::parse(taken(options)).at("target"), "sm_80");
}

TEST_F(CInterface, ThreadsLaunchSideBySide) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (int n = 0; n < 8; ++n) {
    threads.emplace_back([&, n] {
      std::vector<float> x(20, float(n)), y(20);
      lend(x);
      lend(y);
      for (int k = 0; k < 20; ++k) wrong[n] += !launch(scale(x, y, 20)).is_null();
      wrong[n] += y != std::vector<float>(20, float(2 * n));
      ropewalk_free(ropewalk_take_back(session, x.data()));
      ropewalk_free(ropewalk_take_back(session, y.data()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
}

}  // namespace
