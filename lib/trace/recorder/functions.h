// The kernels that were launched: names, parameters, and which module they came with.
#pragma once
#include <string>
#include <vector>

#include "lib/trace/recorder/driver_questions.h"
#include "lib/trace/recorder/images.h"
#include "lib/trace/recorder/quick_table.h"

namespace ropewalk::trace {

struct FunctionKey {
  u64 handle = 0;
  auto operator<=>(const FunctionKey&) const = default;
  u64 hash() const { return spread(handle); }
};

struct Function {
  FunctionKey key;
  std::string name;
  std::vector<ParameterRange> parameters;
  u32 bytes = 0;        // of all parameters
  std::string unknown;  // why the parameters are not known; empty: they are
  Handle module = nullptr;
};

class Functions {
 public:
  Functions(const DriverQuestions& driver, Images& images) : driver_(driver), images_(images) {}
  // `name` is what CUPTI calls it; may be null.
  Function& of(Handle function, const char* name);
  // Handles may mean other kernels from now on.
  void forget();

 private:
  std::unique_ptr<Function> ask(Handle handle, const char* name) const;

  const DriverQuestions& driver_;
  Images& images_;
  QuickTable<FunctionKey, Function> table_;
};

}  // namespace ropewalk::trace
