#include "lib/init/plan_bugs.h"

#include "lib/base/error.h"
#include "lib/init/read_plan.h"
#include "lib/init/shipped_plans.h"

namespace ropewalk::init {

const std::vector<PlanBug>& plan_bugs() {
  static const std::vector<PlanBug> all = {
      {42, "zero.Init rounds arange", "deepspeed-arange.broken", "deepspeed-arange.repaired", "build_cache",
       "dtype-forced-by-zero-init"},
      {44, "inv_freq is cast by half() before the cache grows", "half-then-regrow.broken", "half-then-regrow.repaired",
       "model.half()", "cast-then-regrown"},
      {45, "FSDP2 casts the table, a forward's input", "fsdp2-casts-inputs.broken", "fsdp2-casts-inputs.repaired",
       "forward", "table-cast"},
      {48, "FSDP1's mixed precision casts the table, a buffer", "fsdp1-buffer-dtype.broken",
       "fsdp1-buffer-dtype.repaired", "shard", "table-cast"},
      {49, "reset_parameters does not rebuild after to_empty", "litgpt.broken", "litgpt.repaired", "to_empty",
       "reset-skipped-after-to-empty"},
      {50, "to_empty leaves inv_freq garbage", "hugging-face-meta.broken", "hugging-face-meta.repaired", "to_empty",
       "built-on-meta"},
      {51, "only rank 0 is right", "rank-0-alone.broken", "rank-0-alone.repaired", "to_empty", "built-on-meta"},
      {52, "HSDP broadcasts inside the nodes first", "hsdp-broadcast.broken", "hsdp-broadcast.repaired", "broadcast",
       "broadcast-before-init"},
      {53, "tracing loses that a buffer is not persistent", "persistence-lost.broken", "persistence-lost.repaired",
       "load_checkpoint", ""},
      {54, "a persistent table is loaded from an old checkpoint", "torchtitan-seed-checkpoint.broken",
       "torchtitan.repaired", "seed_checkpoint", "unscaled-checkpoint"},
      {55, "a branch on values raises on meta", "value-branch.broken", "value-branch.repaired", "build_cache",
       "built-on-meta"},
      {55, "the condition of the branch loses the scaling", "torchtitan.broken", "torchtitan.repaired", "init_weights",
       "scaling-lost-in-reset"},
      {56, "a class is defined inside zero.Init", "deepspeed-0.9.3.broken", "deepspeed-0.9.3.repaired", "import_rotary",
       "class-defined-inside-zero-init"},
      {57, "a kernel's module is registered beside the function that forward calls", "kernel-module.broken",
       "kernel-module.repaired", "forward", "module-never-called"},
      {73, "a captured graph keeps the table of before", "growth-under-graph.broken", "growth-under-graph.repaired",
       "grow", "stale-pointer-after-growth"},
  };
  return all;
}

Plan shipped_plan(const std::string& name) {
  for (const ShippedPlan& plan : shipped_plans()) {
    if (plan.name == name) return read_plan(plan.text, plan.path());
  }
  throw InternalError("no plan named " + name + " comes with the suite");
}

}  // namespace ropewalk::init
