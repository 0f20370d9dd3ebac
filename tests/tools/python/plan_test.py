#!/usr/bin/env python3
"""Notes of ranks, written by hand, become plans: tools/python/ropewalk/plan.py, which needs no PyTorch.

  plan_test.py ROOT ROPE_CHECK [unittest's options]
"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT, ROPE_CHECK = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
from ropewalk.plan import NoPlan, by_layer_type, plan_of  # noqa: E402

CONFIG = {"head_dim": 16, "max_position_embeddings": 64, "rope_theta": 10000.0, "vocab_size": 32000}


def member(title, form="table", **more):
    return {"title": title, "form": form, "persistent": False, "places": ["meta", "cpu"], "dtype": "f32", "rows": 64,
            "width": 16, "theta": 10000.0, **more}


def event(do, members=(0, 1), bound=False, source=None, **options):
    return {"do": do, "members": list(members), "options": options, "source": source, "bound": bound}


BUILT = [event("construct", (), True, on="meta"),
         event("build_cache", [0], True, scaled=True), event("register_buffer", [0], True, persistent=False),
         event("build_cache", [1], True, scaled=True), event("register_buffer", [1], True, persistent=False)]
RESET = event("reset_parameters", source="Rope.reset_parameters", when="always", scaled=True)
EMPTY, FORWARD = event("to_empty"), event("forward", positions=8)


def notes(*ranks, config=CONFIG, members=None):
    members = members or [member("rope.cos"), member("rope.sin")]
    return [{"rank": rank, "world_size": len(ranks), "name": "n", "config": config, "members": copy.deepcopy(members),
             "events": copy.deepcopy([*BUILT, *events]), "remarks": []} for rank, events in enumerate(ranks)]


def names(plan):
    return [one["name"] for one in plan["events"]]


class Plans(unittest.TestCase):
    def verdict(self, plan):
        """The exit code of rope-check init and the causes that it names."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.json")
            with open(path, "w") as file:
                json.dump(plan, file)
            report = os.path.join(folder, "report.json")
            done = subprocess.run([ROPE_CHECK, "init", path, "--report", report], capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            with open(report) as file:
                return done.returncode, [(f["cause"] or {}).get("id") for f in json.load(file)["findings"]]

    def test_cos_and_sin_are_one_table_with_one_history(self):
        plan = plan_of(notes([EMPTY, RESET, FORWARD]), False)
        self.assertEqual(list(plan["buffers"]), ["rope.cos_sin"])
        self.assertEqual(names(plan), ["construct", "build_cache", "register_buffer", "to_empty", "reset_parameters", "forward"])
        self.assertEqual(plan["config"], {key: CONFIG[key] for key in ("head_dim", "max_position_embeddings", "rope_theta")})
        self.assertEqual(self.verdict(plan), (0, []))

    def test_the_order_that_happened_is_the_only_one(self):
        plan = plan_of(notes([RESET, EMPTY, FORWARD]), False)
        for number, one in enumerate(plan["events"][1:]):
            self.assertEqual(one["after"], [plan["events"][number]["name"]])
        self.assertEqual(self.verdict(plan), (1, ["reset-skipped-after-to-empty"]))

    def test_each_type_of_layer_with_a_formula_of_its_own_has_a_plan(self):
        config = {**CONFIG, "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6},
                                                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}}
        members = [member(f"rope.{kind}_inv_freq", "frequencies") for kind in ("full_attention", "sliding_attention")]
        only_full = event("reset_parameters", [0], source="Rope.reset_parameters", when="always", scaled=True)
        parts = by_layer_type(notes([EMPTY, only_full, FORWARD], config=config, members=members))
        self.assertEqual([suffix for suffix, _ in parts], [".full_attention", ".sliding_attention"])
        full, sliding = (plan_of(part, False) for _, part in parts)
        self.assertEqual((list(full["buffers"]), full["config"]["rope_parameters"]["rope_theta"]), (["rope.full_attention_inv_freq"], 1e6))
        self.assertEqual(self.verdict(full), (0, []))
        self.assertEqual(self.verdict(sliding), (1, ["built-on-meta"]))
        with self.assertRaises(NoPlan):
            by_layer_type(notes([FORWARD], config=config))

    def test_open_orders_hold_the_other_one(self):
        plan = plan_of(notes([EMPTY, RESET, FORWARD]), True)
        after = {one["name"]: one.get("after") for one in plan["events"]}
        self.assertEqual(after["to_empty"], after["reset_parameters"])
        self.assertEqual(after["forward"], ["to_empty", "reset_parameters"])
        self.assertEqual(self.verdict(plan), (1, ["reset-skipped-after-to-empty"]))

    def test_cos_and_sin_with_histories_of_their_own_are_two_buffers(self):
        plan = plan_of(notes([EMPTY, {**RESET, "members": [0]}, FORWARD]), False)
        self.assertEqual(list(plan["buffers"]), ["rope.cos", "rope.sin"])
        self.assertEqual(self.verdict(plan)[0], 1)

    def test_names_of_tables_stay_what_they_were(self):
        def named(*titles):
            some = notes([], members=[member(title) for title in titles])
            some[0]["events"] = [event("construct", (), True, on="cpu"),
                                 event("build_cache", range(len(titles)), True, scaled=True),
                                 event("forward", range(len(titles)), positions=8)]
            return sorted(plan_of(some, False)["buffers"])

        self.assertEqual(named("rope.cos_sin_cache"), ["rope.cos_sin_cache"])
        self.assertEqual(named("rope.cos_cached", "rope.sin_cached"), ["rope.cos_sin_cached"])
        self.assertEqual(named("rope.cos"), ["rope.cos"])
        self.assertEqual(named("rope.cos", "rope.sin", "rope.cos_sin"), ["rope.cos", "rope.cos_sin", "rope.sin"])

    def test_a_buffer_is_made_before_anything_is_done_to_it(self):
        made = [event("construct", (), on="cpu"), event("build_cache", scaled=True)]  # by a constructor that nobody saw
        for kind, options in (("broadcast", {"levels": "flat"}), ("load_checkpoint", {"has_buffer": False, "strict": True}),
                              ("cast", {"dtype": "f32"})):
            some = notes([])
            some[0]["events"] = [*made, event(kind, **options), FORWARD]
            plan = plan_of(some, True)
            self.assertEqual(plan["events"][2]["after"], ["build_cache"], kind)
            self.assertEqual(self.verdict(plan), (0, []), kind)

    def test_what_a_forward_builds_comes_right_before_it(self):
        plan = plan_of(notes([EMPTY, {**event("build_cache", scaled=True), "lazy": True}, FORWARD]), True)
        self.assertEqual(plan["events"][-2]["after"], ["to_empty"])
        self.assertEqual(self.verdict(plan), (0, []))

    def test_a_cast_that_is_tied_to_a_reset_follows_it(self):
        plan = plan_of(notes([EMPTY, RESET, {**event("cast", dtype="bf16"), "tied": True}, FORWARD]), True)
        self.assertEqual(plan["events"][-2]["after"], ["reset_parameters"])
        self.assertIn("table-cast", self.verdict(plan)[1])

    def test_ranks_wait_for_what_happens_on_them(self):
        plan = plan_of(notes([EMPTY, RESET, FORWARD], [EMPTY, event("cast", dtype="f32"), FORWARD]), False)
        after = {(one["name"], str(one.get("ranks"))): one["after"] for one in plan["events"][1:]}
        self.assertEqual(after["cast", "others"], ["to_empty"])
        self.assertEqual(after["forward", "None"], ["reset_parameters", "cast"])
        self.verdict(plan)

    def test_ranks_that_differ_are_told(self):
        plan = plan_of(notes([EMPTY, RESET, event("broadcast", levels="flat"), FORWARD],
                             [EMPTY, event("broadcast", levels="flat"), FORWARD],
                             [EMPTY, event("broadcast", levels="flat"), FORWARD]), False)
        ranks = {one["name"]: one.get("ranks", "all") for one in plan["events"]}
        self.assertEqual((ranks["reset_parameters"], ranks["broadcast"]), ("first", "all"))
        self.assertEqual(self.verdict(plan), (0, []))

    def test_what_one_rank_leaves_out_is_found(self):
        plan = plan_of(notes([EMPTY, RESET, FORWARD], [EMPTY, FORWARD]), False)
        self.assertEqual(self.verdict(plan)[0], 1)

    def test_layers_with_the_same_history_are_one_buffer_and_others_are_not(self):
        four = [member(f"layers.{n}.rope.freqs_cis") for n in range(4)]
        every = [event("construct", (), True, on="meta"), event("build_cache", range(4), True, scaled=True),
                 event("to_empty", range(4))]
        some = notes([], members=four)
        some[0]["events"] = [*every, event("reset_parameters", range(4), source="R.r", when="always"), event("forward", range(4), positions=8)]
        self.assertEqual(list(plan_of(some, False)["buffers"]), ["layers.*.rope.freqs_cis"])
        some[0]["events"] = [*every, event("reset_parameters", range(3), source="R.r", when="always"), event("forward", range(4), positions=8)]
        plan = plan_of(some, False)
        self.assertEqual(len(plan["buffers"]), 2)
        self.assertEqual(self.verdict(plan)[0], 1)

    def test_a_reset_that_rebuilt_values_once_is_unconditional_throughout(self):
        early = event("reset_parameters", source="Rope.reset_parameters", when="if_meta")
        plan = plan_of(notes([early, EMPTY, RESET, FORWARD]), False)
        whens = [one["when"] for one in plan["events"] if one["do"] == "reset_parameters"]
        self.assertEqual(whens, ["always", "always"])

    def test_without_a_configuration_the_values_tell_it(self):
        plan = plan_of(notes([EMPTY, RESET, FORWARD], config=None), False)
        self.assertEqual(plan["config"], {"head_dim": 16, "rope_theta": 10000.0, "max_position_embeddings": 64})
        unknown = [member("rope.cos", theta=None), member("rope.sin", theta=None)]
        with self.assertRaisesRegex(NoPlan, "config"):
            plan_of(notes([EMPTY], config=None, members=unknown), False)

    def test_the_accelerator_is_the_device_and_the_cpu_is_not(self):
        there = [member("rope.cos", places=["cpu", "cuda"]), member("rope.sin", places=["cpu", "cuda"])]
        moved = notes([event("to", on="cuda"), FORWARD], members=there)
        moved[0]["events"][0]["options"]["on"] = "cpu"
        plan = plan_of(moved, False)
        self.assertEqual([one["on"] for one in plan["events"] if "on" in one], ["cpu", "device"])
        self.assertEqual(self.verdict(plan), (0, []))

    def test_too_many_events_are_refused(self):
        many = [event("reset_parameters", source=f"R.{n}", when="always", scaled=bool(n % 2)) for n in range(40)]
        with self.assertRaisesRegex(NoPlan, "at most 32"):
            plan_of(notes(many), False)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
