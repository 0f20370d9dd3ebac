// The pages of causes that speak of the order of an initialisation's events.
#include "lib/finding/cause_info.h"

namespace ropewalk {

std::vector<CauseInfo> causes_of_initialisations() {
  return {
      {"reset-skipped-after-to-empty", "New memory that no reset writes",
       "to_empty gives a buffer new memory, and the reset that should fill it does not run, or does not write it.",
       "An order of the plan's events in which to_empty comes and a forward reads the buffer before anything wrote it.",
       "Rebuild the buffer in reset_parameters without a condition, and call it after to_empty."},
      {"built-on-meta", "Computed where there are no values",
       "The buffer was computed on the meta device, which keeps shapes and no values, and never again afterwards.",
       "An order in which a forward reads the buffer, and its only computation was on meta.",
       "Compute the buffer again on the real device after to_empty, or keep it off meta."},
      {"values-lost-in-to-empty", "Emptied when it had its values",
       "to_empty gives the buffer new memory after its values were computed or loaded.",
       "An order in which the buffer has values, to_empty comes, and a forward reads it before anything writes it "
       "again.",
       "Call to_empty before the values are computed or loaded."},
      {"scaling-lost-in-reset", "A reset that leaves the scaling out",
       "The constructor scales the frequencies as the configuration asks, and the reset builds them without scaling.",
       "The values that the forward read fit the unscaled formula, and the reset wrote them.",
       "Call the same builder in the reset as in the constructor, scaling included."},
      {"unscaled-checkpoint", "A checkpoint that was saved without scaling",
       "A checkpoint's buffer, which was saved without scaling, overwrites the one that was computed.",
       "The plan's checkpoint holds unscaled values, and an order loads them before the forward.",
       "Make the buffer non-persistent, so that it is computed and not loaded."},
      {"class-defined-inside-zero-init", "A module class defined inside zero.Init",
       "DeepSpeed 0.9.1 to 0.9.5 refuses a module class that is defined between entering and leaving zero.Init.",
       "The plan's version of DeepSpeed, and an order that defines the class inside.",
       "Import the module that defines the class before zero.Init is entered, or use DeepSpeed 0.10 or later."},
      {"dtype-forced-by-zero-init", "Positions rounded inside zero.Init",
       "Inside zero.Init, DeepSpeed from 0.9.4 on gives arange the context's dtype whatever was asked for: positions "
       "and frequencies are rounded.",
       "The plan's version of DeepSpeed, and values that the forward read which fit the rounded formula.",
       "Build the cache outside of zero.Init, or from integers that are converted to float32 afterwards."},
      {"cast-then-regrown", "Frequencies rounded before a table is built from them",
       "A cast rounds the frequencies, and a table is computed from the rounded ones.",
       "An order in which the cast comes first, and values that the forward read which fit the rounded frequencies.",
       "Compute the frequencies in float32 whenever the table is built, and keep them out of the reach of .half()."},
      {"table-cast", "A table rounded further than the plan wants",
       "A cast rounds cos and sin to fewer bits than the plan's dtype for them.",
       "The table's dtype in the forward, and the event that cast it.",
       "Keep cos and sin in float32 and cast after the rotation."},
      {"stale-pointer-after-growth", "A captured graph that reads freed memory",
       "A graph was captured with a pointer to a table, and the table grew into other memory afterwards.",
       "An order that captures, grows and replays.",
       "Grow before the capture, write in place into memory of the largest length, or capture again after growing."},
      {"broadcast-before-init", "A broadcast of what nobody filled",
       "A broadcast carries a buffer from a rank that has not filled it yet.",
       "An order in which the source rank's buffer has no values when the broadcast comes.",
       "Fill the buffer on the source rank before the broadcast, and let no mark keep a second broadcast from "
       "running."},
      {"shared-without-device", "A registry that shares a table between devices",
       "Modules share one table through a registry whose key does not name the device, so that a module on one device "
       "is given the table of another.",
       "An order in which a forward reads a shared buffer that lies on another device than its rank's.",
       "Put the device into the key of the registry."},
      {"module-never-called", "A registered module that forward does not call",
       "ZeRO-3 shards a module that is registered and that forward never calls, and waits for it without end.",
       "The plan's list of modules that the forward does not call.",
       "Do not register the module (keep the plain function under ZeRO-3), or call it."},
      {"missing-stream-wait", "Two streams without a wait between them",
       "A buffer is written on one stream and read on another, and nothing makes the reader wait.",
       "An order in which no wait stands between the write and the read.",
       "Let the reading stream wait for an event that is recorded after the write."},
  };
}

}  // namespace ropewalk
