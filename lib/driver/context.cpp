#include "lib/driver/context.h"

#include <algorithm>

namespace ropewalk::driver {

namespace {

std::vector<Context*>& stack_of_thread() {
  thread_local std::vector<Context*> stack;
  return stack;
}

}  // namespace

Context& Contexts::primary(u32 device) {
  std::unique_ptr<Context>& context = primaries_[device];
  if (!context) {
    context = std::make_unique<Context>();
    context->device = device;
    context->is_primary = true;
    tell_of_several();
  }
  return *context;
}

Context* Contexts::create(u32 device, u32 flags) {
  auto made = std::make_unique<Context>();
  made->device = device;
  made->flags = flags;
  made->number = ++made_;
  Context* const out = others_.add(std::move(made));
  tell_of_several();
  return out;
}

void Contexts::tell_of_several() const {
  if (on_several && primaries_.size() + others_.all().size() > 1) on_several();
}

bool Contexts::destroy(Context* context) {
  std::erase(stack_of_thread(), context);
  std::unique_ptr<Context> gone = others_.take(context);
  if (!gone) return false;
  *gone = Context();
  destroyed_.push_back(std::move(gone));
  return true;
}

bool Contexts::has(const Context* context) const {
  return others_.has(context) ||
         std::ranges::any_of(primaries_, [&](const auto& one) { return one.second.get() == context; });
}

Context* Contexts::top() const {
  const std::vector<Context*>& stack = stack_of_thread();
  return stack.empty() ? nullptr : stack.back();
}

Context* Contexts::current() const { return has(top()) ? top() : nullptr; }

void Contexts::set_current(Context* context) {
  std::vector<Context*>& stack = stack_of_thread();
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(context);
}

void Contexts::push(Context* context) { stack_of_thread().push_back(context); }

Context* Contexts::pop() {
  std::vector<Context*>& stack = stack_of_thread();
  if (stack.empty()) return nullptr;
  Context* const top = stack.back();
  stack.pop_back();
  return top;
}

void Contexts::reset(Context& context) {
  const u32 device = context.device;
  const bool is_primary = context.is_primary, is_lost = context.error != Result::Success;
  context = Context();
  context.device = device;
  context.is_primary = is_primary;
  if (is_lost) context.error = Result::DeviceUnavailable;
}

std::vector<Context*> Contexts::all() const {
  std::vector<Context*> out;
  for (const auto& [device, one] : primaries_) out.push_back(one.get());
  for (const auto& [handle, one] : others_.all()) out.push_back(one.get());
  return out;
}

Context* Contexts::owner_of(const Stream* stream) const {
  for (Context* context : all()) {
    if (context->streams.has(stream)) return context;
  }
  return nullptr;
}

}  // namespace ropewalk::driver
