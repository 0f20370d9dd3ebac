#include "lib/init/causes.h"

#include <fmt/format.h>

namespace ropewalk::init {
namespace {

struct CauseWords {
  std::string_view cause;
  std::string_view text;  // {0}: the buffer, {1}: the event that made it so, {2}: where it shows
  std::string_view advice;
};

constexpr CauseWords words[] = {
    {"reset-skipped-after-to-empty", "{1} gives {0} new memory, and no reset writes it afterwards",
     "rebuild the buffer in reset_parameters without a condition (is_meta is false after to_empty, and the length has "
     "not changed), and call it after to_empty"},
    {"values-lost-in-to-empty", "{1} gives {0} new memory when it has its values already",
     "call to_empty before the values are computed or loaded"},
    {"scaling-lost-in-reset", "{1} rebuilds {0} without the scaling that the configuration asks for",
     "call the same builder in the reset as in the constructor, scaling included; write it with torch.where, so that "
     "it runs on meta too"},
    {"scaling-missing", "{1} builds {0} without the scaling that the configuration asks for",
     "apply the configuration's scaling where the cache is built"},
    {"unscaled-checkpoint", "{1} overwrites {0} with a checkpoint's buffer that was saved without scaling",
     "make the buffer non-persistent, so that it is computed and not loaded"},
    {"built-on-meta", "the values of {0} were computed on meta, where there are none",
     "compute the buffer again on the real device after to_empty, or keep it off meta"},
    {"class-defined-inside-zero-init",
     "{1} defines a module class between entering and leaving zero.Init, and this DeepSpeed (0.9.1 to 0.9.5) refuses "
     "it",
     "import the module that defines the class before zero.Init is entered, or use DeepSpeed 0.10 or later"},
    {"dtype-forced-by-zero-init",
     "inside zero.Init (DeepSpeed from 0.9.4 on) arange returns the context's dtype whatever was asked for, so "
     "positions "
     "and frequencies of {0} are rounded",
     "build the cache outside of zero.Init, or from integers that are converted to float32 afterwards"},
    {"cast-then-regrown", "{1} rounds the frequencies that {0} is computed from afterwards",
     "compute the frequencies again in float32 whenever the table is built, and do not keep them in a buffer that "
     ".half() or .to(dtype) reaches"},
    {"table-cast", "{1} rounds {0} further than the plan wants it",
     "keep cos and sin in float32 and cast after the rotation; with FSDP2 set cast_forward_inputs=False"},
    {"stale-pointer-after-growth", "{1} frees the memory of {0} while a graph holds a pointer to it",
     "grow before the capture, write in place into memory of the largest length, or capture again after growing"},
    {"broadcast-before-init", "{1} carries {0} from a rank that has not filled it",
     "fill the buffer on the source rank before the broadcast; with two levels do not let the first one's mark keep "
     "the "
     "second from running"},
    {"shared-without-device", "the key of the registry that shares {0} lacks the device",
     "put the device into the key of the registry"},
    {"module-never-called", "{1} does not call a module that is registered when ZeRO-3 shards the model",
     "do not register a module that forward does not call (under ZeRO-3 keep the plain function), or call it"},
    {"missing-stream-wait", "{0} is written on one stream and read on another without a wait between them",
     "let the reading stream wait for an event that is recorded after the write"},
};

const CauseWords* words_of(std::string_view cause) {
  for (const CauseWords& entry : words) {
    if (entry.cause == cause) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string cause_text(const Failure& failure, const Plan& plan) {
  const CauseWords* const entry = words_of(failure.cause);
  if (!entry) return failure.text;
  const i16 culprit = failure.culprit >= 0 ? failure.culprit : failure.event;
  const std::string buffer = failure.buffer >= 0 ? plan.buffers[size_t(failure.buffer)].name : "the module";
  // A buffer of frequencies is what was rounded itself, and no table is kept.
  const bool is_itself = failure.cause == "cast-then-regrown" && failure.buffer >= 0 &&
                         plan.buffers[size_t(failure.buffer)].form == BufferForm::Frequencies;
  const std::string_view text =
      is_itself ? "{1} rounds {0}, and the angles are computed from it afterwards" : entry->text;
  return fmt::format(fmt::runtime(text), buffer, plan.events[size_t(culprit)].name,
                     plan.events[size_t(failure.event)].name);
}

std::string_view advice_for(std::string_view cause) {
  const CauseWords* const entry = words_of(cause);
  return entry ? entry->advice : std::string_view();
}

}  // namespace ropewalk::init
