// A session of its own with the kernels of tests/data/driver/program.ptx, for tests.
#pragma once
#include <gtest/gtest.h>

#include <cstring>

#include "lib/base/mapped_file.h"
#include "lib/driver/calls.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

class SessionTest : public ::testing::Test {
 protected:
  explicit SessionTest(Options options = {}) : session(std::move(options)) {
    const std::string path = std::string(ROPEWALK_SOURCE_DIR) + "/tests/data/driver/program.ptx";
    EXPECT_EQ(load_module_file(session, context(), path, &module), Result::Success);
    session.on_finding = [this](const Finding& finding) { found.push_back(finding); };
  }

  Context& context() { return session.contexts().primary(0); }

  Allocation* memory(u64 bytes) { return session.memory().allocate({.bytes = bytes, .call = "cuMemAlloc"}); }
  template <class T>
  Allocation* memory_of(const std::vector<T>& values) {
    Allocation* const out = memory(values.size() * sizeof(T));
    session.memory().copy({.to = {out->address}, .from = {u64(values.data())}, .bytes = out->bytes}, "cuMemcpyHtoD");
    return out;
  }

  LaunchRequest request(const char* name, u32 blocks, u32 threads, std::vector<void*> values) {
    Kernel* kernel = nullptr;
    EXPECT_EQ(find_kernel(session, *module, name, &kernel), Result::Success);
    return {
        .kernel = kernel, .grid = {blocks}, .block = {threads}, .parameters = pack_parameters(*kernel, values.data())};
  }
  Result run(const char* name, u32 blocks, u32 threads, std::vector<void*> values) {
    return launch_in(session, context(), request(name, blocks, threads, std::move(values)));
  }

  std::vector<Rule> rules() {
    std::vector<Rule> out;
    for (const Finding& finding : found) out.push_back(finding.rule);
    found.clear();
    return out;
  }

  Session session;
  Module* module = nullptr;
  std::vector<Finding> found;
};

}  // namespace ropewalk::driver
