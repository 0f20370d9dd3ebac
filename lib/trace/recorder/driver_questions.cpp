#include "lib/trace/recorder/driver_questions.h"

#include <dlfcn.h>

#include <type_traits>

namespace ropewalk::trace {

DriverQuestions::DriverQuestions() {
  // The one that the program uses: it is what is being traced, so it is there already.
  void* handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) handle = RTLD_DEFAULT;
  const auto load = [&](auto& member, const char* symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(handle, symbol));
  };
#define ROPEWALK_LOAD(member, symbol, parameters) load(member, symbol);
  ROPEWALK_DRIVER_QUESTIONS(ROPEWALK_LOAD)
#undef ROPEWALK_LOAD
}

std::string DriverQuestions::name_of(gpu::Result error) const {
  const char* name = nullptr;
  if (error_name) error_name(error, &name);
  return name ? name : "an error without a name";
}

std::string DriverQuestions::text_of(gpu::Result error) const {
  const char* text = nullptr;
  if (error_text) error_text(error, &text);
  return text ? text : "";
}

std::string DriverQuestions::version() const {
  int number = 0;
  if (!driver_version || driver_version(&number) != gpu::success) return "";
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace ropewalk::trace
