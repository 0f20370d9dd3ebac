#include "lib/driver/public_call.h"

#include <algorithm>
#include <array>

#include "lib/driver/session.h"

namespace ropewalk::driver {

namespace {

thread_local const char* outermost = nullptr;
thread_local int depth = 0, per_thread = 0;

}  // namespace

PublicCall::PublicCall(const char* name) {
  if (depth++ == 0) outermost = name;
}

PublicCall::~PublicCall() {
  if (--depth == 0) outermost = nullptr;
}

std::string PublicCall::name_or(const std::string& inner) { return outermost ? outermost : inner; }

bool only_asks(const std::string& function) {
  return std::ranges::any_of(std::array{"Get", "Query", "Can"},
                             [&](const char* word) { return function.find(word) != std::string::npos; });
}

PerThreadStream::PerThreadStream() { ++per_thread; }
PerThreadStream::~PerThreadStream() { --per_thread; }
bool PerThreadStream::is_meant() { return per_thread != 0; }

void tell_failed(const std::string& function, const char* error) {
  const Held session;
  const std::vector<std::string> lines = CallStack::here().lines();
  session->record().failed(function, error, lines.empty() ? "" : lines[0]);
}

void tell_unsupported(const char* function) { Held()->unsupported(function); }

}  // namespace ropewalk::driver
