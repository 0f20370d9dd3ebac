// The function that the program called, for what is reported of it: a runtime's cudaMemcpy is carried out by the
// driver's cuMemcpyHtoD, and is still a cudaMemcpy.
#pragma once
#include <string>

#define ROPEWALK_SHOWN __attribute__((visibility("default")))

namespace ropewalk::driver {

// Of a thread the outermost one counts, as long as it lives.
class ROPEWALK_SHOWN PublicCall {
 public:
  explicit PublicCall(const char* name);
  ~PublicCall();
  PublicCall(const PublicCall&) = delete;

  // The outermost one of this thread; `inner` where there is none.
  static std::string name_or(const std::string& inner);
};

// Whether a function changes nothing, by its name, so that what a program does is checked without it, too.
bool only_asks(const std::string& function);

// As long as it lives, the null stream is the calling thread's own.
class ROPEWALK_SHOWN PerThreadStream {
 public:
  PerThreadStream();
  ~PerThreadStream();
  PerThreadStream(const PerThreadStream&) = delete;

  static bool is_meant();
};

// Tells the session of this process that the function is not there, with its caller.
ROPEWALK_SHOWN void tell_unsupported(const char* function);

// Tells it that the function answered this error, with its caller.
ROPEWALK_SHOWN void tell_failed(const std::string& function, const char* error);

}  // namespace ropewalk::driver
